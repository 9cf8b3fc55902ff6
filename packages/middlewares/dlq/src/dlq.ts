import {
  ALL_ACKED,
  ack,
  assertOutcomeCount,
  type EndpointStatus,
  failure,
  type Message,
  type MqbError,
  type Opening,
  type Outcome,
  type Outcomes,
  outcomeAt,
  type Publisher,
  repeat,
  toMqbError,
} from '@mqb/core'
import type { DlqConfig } from './config.ts'
import { deadLetterFailedError } from './errors.ts'
import { deadLetter } from './record.ts'
import { createReport } from './report.ts'

/** Puts what failed as `permanent` into another endpoint, one send for each batch. Everything else passes. */
export async function dlqPublisher(
  inner: Publisher,
  config: DlqConfig,
  opening: Opening,
): Promise<Publisher> {
  const { clock, secrets } = opening
  const letters = await config.endpoint.open(opening.child('endpoint'))
  const report = createReport(opening.log, clock)
  const output = opening.path.replace(/\.middlewares\[\d+\].*$/, '')
  const scrub = (text: string): string => secrets.scrub(text)

  async function sendOrFail(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    try {
      return await inner.send(messages, signal)
    } catch (thrown) {
      const error = toMqbError(thrown, 'retryable')
      if (error.kind !== 'permanent') throw thrown
      return repeat(failure(error), messages.length)
    }
  }

  async function sendLetters(records: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    try {
      const answer = await letters.send(records, signal)
      assertOutcomeCount(answer, records.length, 'dead letters')
      return answer
    } catch (thrown) {
      signal.throwIfAborted()
      return repeat(failure(toMqbError(thrown, 'retryable')), records.length)
    }
  }

  return {
    async send(messages, signal) {
      const firstMs = clock.now()
      const outcomes = await sendOrFail(messages, signal)
      if (outcomes === ALL_ACKED) return outcomes
      const dead = deadPositions(outcomes)
      if (dead.length === 0) return outcomes
      // After the deadline the messages count as returned: a dead letter now would be one too many.
      signal.throwIfAborted()
      assertOutcomeCount(outcomes, messages.length)
      const failedMs = clock.now()
      const records = dead.map(({ position, error, failed }) =>
        deadLetter(messages[position]!, error, failed, {
          route: opening.route,
          endpoint: output,
          firstMs,
          failedMs,
          scrub,
        }),
      )
      const answer = await sendLetters(records, signal)
      const settled = outcomes.slice()
      let kept = 0
      for (const [index, { position, error }] of dead.entries()) {
        const outcome = outcomeAt(answer, index)
        if (outcome.kind !== 'failure') kept++
        settled[position] = settledAs(outcome, error, opening.path)
      }
      if (kept > 0) {
        opening.counters.add('dead_lettered', kept)
        report.add(kept, dead[0]!.error.what)
      }
      return settled
    },
    async flush() {
      await Promise.all([inner.flush(), letters.flush()])
    },
    status: () => joinStatus(inner.status(), letters.status()),
    async close() {
      report.close()
      await letters.close()
      await inner.close()
    },
  }
}

interface Dead {
  readonly position: number
  readonly error: MqbError
  readonly failed: Message | undefined
}

function deadPositions(outcomes: readonly Outcome[]): Dead[] {
  const dead: Dead[] = []
  for (let position = 0; position < outcomes.length; position++) {
    const outcome = outcomes[position]!
    if (outcome.kind === 'failure' && outcome.error.kind === 'permanent')
      dead.push({ position, error: outcome.error, failed: outcome.message })
  }
  return dead
}

function settledAs(letter: Outcome, original: MqbError, path: string): Outcome {
  if (letter.kind === 'ack') return ack('dead_lettered')
  if (letter.kind === 'reply') return letter
  return failure(deadLetterFailedError(letter.error, original, path))
}

/** Healthy when both are: a message that fails while the dead-letter endpoint is away goes nowhere. */
function joinStatus(inner: EndpointStatus, letters: EndpointStatus): EndpointStatus {
  const error =
    inner.error ?? (letters.error === undefined ? undefined : `dead-letter endpoint: ${letters.error}`)
  return {
    ...inner,
    healthy: inner.healthy && letters.healthy,
    ...(error === undefined ? {} : { error }),
    details: { ...inner.details, dlq: letters },
  }
}
