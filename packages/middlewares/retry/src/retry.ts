import {
  ALL_ACKED,
  assertOutcomeCount,
  failure,
  isNotSent,
  type Message,
  type Opening,
  type Outcome,
  type Outcomes,
  outcomeAt,
  type Publisher,
  pickMessages,
  repeat,
  toMqbError,
  wrapPublisher,
} from '@mqb/core'
import type { RetryConfig } from './config.ts'
import { exhaustedError, withAttempts } from './errors.ts'

/** The pause before try number `attempt`, which is at least 2. */
export function pauseMs(config: RetryConfig, attempt: number): number {
  return Math.min(config.initial_interval_ms * config.multiplier ** (attempt - 2), config.max_interval_ms)
}

/**
 * Sends again what failed as `retryable`, and only that. Failures of kind `connection` are handed on at once: the
 * route reopens the endpoint, and no try is counted.
 */
export function retryPublisher(inner: Publisher, config: RetryConfig, opening: Opening): Publisher {
  return wrapPublisher(inner, {
    async send(messages, signal) {
      let first: Outcomes
      try {
        first = await inner.send(messages, signal)
      } catch (thrown) {
        const error = toMqbError(thrown, 'retryable')
        if (error.kind !== 'retryable' || signal.aborted) throw thrown
        first = repeat(failure(error), messages.length)
      }
      if (first === ALL_ACKED || !first.some(isRetryable)) return first
      assertOutcomeCount(first, messages.length)
      return new Retrying({ inner, config, opening, messages, signal }, first).run()
    },
  })
}

interface Call {
  readonly inner: Publisher
  readonly config: RetryConfig
  readonly opening: Opening
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
}

/** One call to `send` of which something failed. */
class Retrying {
  readonly #call: Call
  readonly #outcomes: Outcome[]
  /** How often each message was really sent. */
  readonly #tries: Uint32Array
  /** Positions that the last call was about, ascending. */
  #positions: number[]

  constructor(call: Call, first: readonly Outcome[]) {
    this.#call = call
    this.#outcomes = first.slice()
    this.#tries = new Uint32Array(first.length)
    this.#positions = Array.from(first.keys())
  }

  async run(): Promise<Outcomes> {
    const { messages, opening, signal } = this.#call
    for (;;) {
      this.#count()
      // Behind a lost connection there is nobody to try again with; what is retryable goes back to the source with it.
      if (signal.aborted || this.#positions.some(position => isConnection(this.#outcomes[position]!)))
        return this.#outcomes
      this.#giveUp()
      const failed = this.#positions.filter(position => isRetryable(this.#outcomes[position]!))
      if (failed.length === 0) return this.#outcomes
      this.#positions = failed
      if (!(await this.#pause(failed))) return this.#outcomes
      opening.counters.add('retried', failed.length)
      this.#take(await this.#send(pickMessages(messages, failed)))
    }
  }

  /** A message that was held back because one before it failed was not tried. But each round is a try for somebody. */
  #count(): void {
    const tried = this.#positions.filter(position => !wasHeldBack(this.#outcomes[position]!))
    for (const position of tried.length === 0 ? this.#positions : tried) {
      const tries = ++this.#tries[position]!
      const outcome = this.#outcomes[position]!
      if (tries > 1 && outcome.kind === 'failure' && outcome.error.kind === 'permanent')
        this.#outcomes[position] = failure(withAttempts(outcome.error, tries), outcome.message)
    }
  }

  #giveUp(): void {
    const { config, opening } = this.#call
    for (const position of this.#positions) {
      const outcome = this.#outcomes[position]!
      const tries = this.#tries[position]!
      if (tries < config.max_attempts || outcome.kind !== 'failure' || outcome.error.kind !== 'retryable')
        continue
      opening.counters.add('exhausted')
      const error = exhaustedError(tries, outcome.error, opening.path)
      this.#outcomes[position] = failure(error, outcome.message)
    }
  }

  /** Resolves to false when the deadline of the call passed meanwhile. */
  async #pause(failed: readonly number[]): Promise<boolean> {
    const { config, opening, signal } = this.#call
    let tries = 0
    for (const position of failed) tries = Math.max(tries, this.#tries[position]!)
    // What was only held back has nothing to wait for.
    if (tries === 0) return true
    const ms = pauseMs(config, tries + 1)
    if (opening.log.isEnabled('debug')) {
      const outcome = this.#outcomes[failed[0]!]!
      const reason = outcome.kind === 'failure' ? outcome.error.what : ''
      opening.log.debug(`${failed.length} messages are sent again in ${ms} ms: ${reason}`, {
        attempt: tries + 1,
        max_attempts: config.max_attempts,
      })
    }
    try {
      await opening.clock.sleep(ms, signal)
      return true
    } catch (reason) {
      if (signal.aborted) return false
      throw reason
    }
  }

  async #send(messages: readonly Message[]): Promise<Outcomes> {
    try {
      const outcomes = await this.#call.inner.send(messages, this.#call.signal)
      assertOutcomeCount(outcomes, messages.length)
      return outcomes
    } catch (thrown) {
      return repeat(failure(toMqbError(thrown, 'retryable')), messages.length)
    }
  }

  #take(outcomes: Outcomes): void {
    for (const [index, position] of this.#positions.entries())
      this.#outcomes[position] = outcomeAt(outcomes, index)
  }
}

function isRetryable(outcome: Outcome): boolean {
  return outcome.kind === 'failure' && outcome.error.kind === 'retryable'
}

function isConnection(outcome: Outcome): boolean {
  return outcome.kind === 'failure' && outcome.error.kind === 'connection'
}

function wasHeldBack(outcome: Outcome): boolean {
  return outcome.kind === 'failure' && isNotSent(outcome.error)
}
