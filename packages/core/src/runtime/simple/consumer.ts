import { emptyBatch } from '../../batch/merge.ts'
import { type BatchParts, splitBatch } from '../../batch/parts.ts'
import type { Batch, Consumer, ReceiveLimit } from '../../contract/consumer.ts'
import type { Opening } from '../../contract/opening.ts'
import type { Outcomes } from '../../contract/outcome.ts'
import type { EndpointStatus } from '../../contract/status.ts'
import { closedError } from '../../errors/closed.ts'
import { toMqbError } from '../../errors/normalize.ts'
import { EndOfStream, Gap } from '../../errors/signals.ts'
import type { Message } from '../../message/message.ts'
import { assertOutcomeCount, outcomeList, settles } from '../../outcome/outcome.ts'
import { closeQuietly } from './close.ts'
import { simpleError } from './codes.ts'
import { isList, nameOf, toMessage } from './items.ts'
import { statusOf } from './status.ts'
import type { SimpleBatch, SimpleEndpoint, SimpleOutcome } from './types.ts'

const idle = Symbol('idle')

export interface SimpleConsumerOptions {
  readonly target: string
  readonly endpoint: SimpleEndpoint
  /** Its commits may be given replies and errors. */
  readonly replies: boolean
  readonly opening: Opening
}

/** A simple endpoint as a consumer. */
export class SimpleConsumer implements Consumer {
  private readonly options: SimpleConsumerOptions
  private readonly closing = new AbortController()
  /** The call that runs. It outlives a receive that stopped waiting, so that what it brings is not lost. */
  private call: Promise<Batch> | undefined
  private parts: BatchParts | undefined
  private unsent: readonly Message[] = []
  private closed: Promise<void> | undefined

  constructor(options: SimpleConsumerOptions) {
    this.options = options
  }

  async receive(limit: ReceiveLimit, signal: AbortSignal): Promise<Batch> {
    if (this.closed !== undefined) throw closedError()
    signal.throwIfAborted()
    if (limit.messages < 1) return emptyBatch
    if (this.parts === undefined) {
      const batch = await this.waitForBatch(limit, signal)
      if (batch.messages.length === 0) return batch
      this.parts = splitBatch(batch)
      this.unsent = batch.messages
    }
    return this.handOut(this.parts, limit)
  }

  async pin(): Promise<void> {}

  status(): EndpointStatus {
    return statusOf(this.options.endpoint, this.options.target, this.closed === undefined)
  }

  close(): Promise<void> {
    this.closed ??= this.shutDown()
    return this.closed
  }

  private async shutDown(): Promise<void> {
    const { endpoint, opening } = this.options
    this.closing.abort(closedError())
    await closeQuietly(endpoint, opening)
  }

  private handOut(parts: BatchParts, limit: ReceiveLimit): Batch {
    let count = 0
    let bytes = 0
    while (count < this.unsent.length && count < limit.messages && (count === 0 || bytes < limit.bytes)) {
      bytes += this.unsent[count++]!.byteLength
    }
    this.unsent = this.unsent.slice(count)
    if (this.unsent.length === 0) this.parts = undefined
    return parts.next(count)
  }

  private async waitForBatch(limit: ReceiveLimit, signal: AbortSignal): Promise<Batch> {
    this.call ??= this.startCall(limit.messages)
    const { drain, drainIdleMs, clock } = this.options.opening
    const call = this.call
    return new Promise<Batch>((resolve, reject) => {
      const stop = (reason: unknown): void =>
        end(() => (reason === idle ? resolve(emptyBatch) : reject(reason)))
      const abort = (): void => stop(signal.reason)
      const close = (): void => stop(this.closing.signal.reason)
      const cancelTimer = drain ? clock.timer(drainIdleMs, () => stop(idle)) : undefined
      let waiting = true
      const end = (finish: () => void): void => {
        if (!waiting) return
        waiting = false
        cancelTimer?.()
        signal.removeEventListener('abort', abort)
        this.closing.signal.removeEventListener('abort', close)
        finish()
      }
      const arrive = (finish: () => void): void =>
        end(() => {
          this.call = undefined
          finish()
        })
      signal.addEventListener('abort', abort, { once: true })
      this.closing.signal.addEventListener('abort', close, { once: true })
      call.then(
        batch => arrive(() => resolve(batch)),
        error => arrive(() => reject(error)),
      )
    })
  }

  private startCall(max: number): Promise<Batch> {
    const call = this.callEndpoint(max)
    // Nobody may be waiting when it fails; the next receive hears of it.
    call.catch(() => undefined)
    return call
  }

  private async callEndpoint(max: number): Promise<Batch> {
    const { endpoint } = this.options
    let result: unknown
    try {
      result = await endpoint.receiveBatch?.(max, this.closing.signal)
    } catch (thrown) {
      if (EndOfStream.is(thrown) || Gap.is(thrown)) throw thrown
      throw toMqbError(thrown, 'connection')
    }
    if (result === null || result === undefined) return emptyBatch
    const own = isSimpleBatch(result) ? result : undefined
    const items = own === undefined ? result : own.messages
    if (!isList(items)) {
      throw simpleError(
        'MQB_CUSTOM_RESULT',
        'permanent',
        `receiveBatch returned ${nameOf(items)}`,
        'return a list of messages, bytes, texts or JSON values, or null for nothing now',
      )
    }
    const messages = [...items].map(requireMessage)
    const commit = own?.commit === undefined ? endpoint.commit?.bind(endpoint) : own.commit.bind(own)
    return { messages, commit: outcomes => this.commit(messages, outcomes, commit) }
  }

  private async commit(
    messages: readonly Message[],
    outcomes: Outcomes,
    commit: SimpleEndpoint['commit'],
  ): Promise<void> {
    assertOutcomeCount(outcomes, messages.length)
    if (this.closed !== undefined) throw closedError()
    if (commit === undefined) return
    try {
      await commit(this.simplify(outcomes, messages.length), messages)
    } catch (thrown) {
      throw toMqbError(thrown, 'connection')
    }
  }

  private simplify(outcomes: Outcomes, count: number): SimpleOutcome[] {
    const { replies } = this.options
    return outcomeList(outcomes, count).map(outcome => {
      if (!settles(outcome)) return 'nack'
      if (replies && outcome.kind === 'reply') return outcome.message
      if (replies && outcome.kind === 'failure') return outcome.error
      return 'ack'
    })
  }
}

function isSimpleBatch(result: unknown): result is SimpleBatch {
  return typeof result === 'object' && result !== null && 'messages' in result && !isList(result)
}

function requireMessage(item: unknown, index: number): Message {
  const message = toMessage(item)
  if (message !== undefined) return message
  throw simpleError(
    'MQB_CUSTOM_RESULT',
    'permanent',
    `item ${index} of receiveBatch is ${nameOf(item)} and has no JSON text`,
    'return messages, bytes, texts or JSON values',
  )
}
