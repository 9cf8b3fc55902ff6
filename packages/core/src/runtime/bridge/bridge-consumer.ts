import type { Batch, Consumer } from '../../contract/consumer.ts'
import type { Outcome } from '../../contract/outcome.ts'
import type { EndpointStatus } from '../../contract/status.ts'
import { closedError } from '../../errors/closed.ts'
import { MqbError } from '../../errors/mqb-error.ts'
import { EndOfStream } from '../../errors/signals.ts'
import type { Message } from '../../message/message.ts'
import { ALL_ACKED } from '../../outcome/all-acked.ts'
import { failure, repeat } from '../../outcome/outcome.ts'
import type { EndpointPlan } from '../../plan/plan.ts'
import type { RuntimeContext } from '../context.ts'
import { Standalone } from './standalone.ts'

const batchBytes = 64 * 1024 * 1024
/** Pause after a source answered "nothing now". */
const emptyMs = 10

/** Names one polled batch. Opaque. */
export type BatchToken = number

export interface PolledBatch {
  readonly messages: readonly Message[]
  readonly token: BatchToken
}

interface OpenBatch {
  readonly token: BatchToken
  readonly batch: Batch
}

/**
 * An input that is used without a route. What was polled stays with the source until it is committed: all of it by
 * `commit`, or batch by batch by `ack` and `nack`; do not mix the two. It opens at the first call.
 */
export class BridgeConsumer implements AsyncDisposable, AsyncIterable<Message> {
  readonly name: string
  readonly plan: EndpointPlan<'input'>
  private readonly context: RuntimeContext
  private readonly end: Standalone<Consumer>
  private readonly closing = new AbortController()
  private readonly open: OpenBatch[] = []
  private nextToken: BatchToken = 1
  private ended = false
  private polling = false

  constructor(name: string, plan: EndpointPlan<'input'>, context: RuntimeContext) {
    this.name = name
    this.plan = plan
    this.context = context
    this.end = Standalone.input(name, plan, context)
  }

  /** The source has said that it has ended. */
  get exhausted(): boolean {
    return this.ended
  }

  /**
   * The next messages, at most `max`. Waits for the first one; an empty list means that `timeoutMs` passed without any,
   * or that the source has ended.
   *
   * @throws {MqbError} the source failed, or `MQB_CLOSED`.
   */
  async poll(max = 256, timeoutMs?: number): Promise<readonly Message[]> {
    return (await this.pollBatch(max, timeoutMs)).messages
  }

  /** Like `poll`, with a token for `ack` and `nack`. The token of an empty batch needs neither. */
  async pollBatch(max = 256, timeoutMs?: number): Promise<PolledBatch> {
    if (!Number.isSafeInteger(max) || max < 1)
      throw new TypeError(`expected a whole number of messages from 1 on, got ${max}`)
    if (this.polling) throw new TypeError('poll was called while another poll was waiting')
    this.polling = true
    try {
      const batch = await this.receive(max, timeoutMs)
      const token = this.nextToken++
      if (batch === undefined || batch.messages.length === 0) return { messages: [], token }
      this.open.push({ token, batch })
      return { messages: batch.messages, token }
    } finally {
      this.polling = false
    }
  }

  /**
   * Acks everything that was polled, oldest first.
   *
   * @throws {MqbError} the source is not sure about a batch, which will come again; those behind it stay open.
   */
  async commit(): Promise<void> {
    for (let entry = this.open[0]; entry !== undefined; entry = this.open[0]) {
      this.open.shift()
      await this.commitBatch(entry.batch, undefined)
    }
  }

  /**
   * Acks one batch.
   *
   * @throws {TypeError} there is no such open batch.
   * @throws {MqbError} `MQB_ACK_ORDER`: the source is committed in order and an older batch is open; it stays open.
   */
  async ack(token: BatchToken): Promise<void> {
    const index = this.indexOf(token)
    if (index > 0 && this.plan.leafCapabilities.commitOrder === 'ordered')
      throw new MqbError({
        kind: 'permanent',
        code: 'MQB_ACK_ORDER',
        where: this.plan.path,
        what: 'this source is committed in order, and an older batch is still open',
        mend: 'ack the batches in the order in which they were polled',
      })
    const [entry] = this.open.splice(index, 1)
    await this.commitBatch(entry!.batch, undefined)
  }

  /** Gives one batch back to the source, or all that are open. */
  async nack(token?: BatchToken): Promise<void> {
    const entries = token === undefined ? this.open.splice(0) : this.open.splice(this.indexOf(token), 1)
    const error = new MqbError({
      kind: 'retryable',
      code: 'MQB_NACKED',
      where: this.plan.path,
      what: 'the program gave the message back',
    })
    await Promise.all(
      entries.map(({ batch }) => this.commitBatch(batch, repeat(failure(error), batch.messages.length))),
    )
  }

  /**
   * Last known state.
   *
   * @throws {MqbError} `MQB_CLOSED`.
   */
  status(): EndpointStatus {
    if (this.end.isClosed) throw closedError()
    return this.end.current?.status() ?? { healthy: false, target: this.plan.target }
  }

  /** What is not committed goes back to the source. Ends within 5 s; twice is once. */
  close(): Promise<void> {
    this.closing.abort(closedError())
    this.open.length = 0
    return this.end.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /**
   * One message after another until the source ends. A batch is acked when the loop asks for the first message behind
   * it; a loop that is left early leaves its batch open.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Message, void, undefined> {
    for (;;) {
      const { messages, token } = await this.pollBatch()
      if (messages.length === 0 && this.ended) return
      yield* messages
      if (messages.length > 0 && this.open.some(entry => entry.token === token)) await this.ack(token)
    }
  }

  private async receive(max: number, timeoutMs: number | undefined): Promise<Batch | undefined> {
    const { clock } = this.context
    const consumer = await this.end.ready()
    const waiting = new AbortController()
    const cancel =
      timeoutMs === undefined ? (): void => {} : clock.timer(timeoutMs, () => waiting.abort(timedOut))
    const onClose = (): void => waiting.abort(this.closing.signal.reason)
    this.closing.signal.addEventListener('abort', onClose, { once: true })
    // The clock's timers keep no process alive, and somebody waits here.
    const keepAlive = setInterval(() => {}, 2 ** 30)
    try {
      for (;;) {
        const batch = await consumer.receive({ messages: max, bytes: batchBytes }, waiting.signal)
        if (batch.messages.length > 0) return batch
        await clock.sleep(emptyMs, waiting.signal)
      }
    } catch (thrown) {
      if (thrown === timedOut) return undefined
      if (!EndOfStream.is(thrown)) throw thrown
      this.ended = true
      return undefined
    } finally {
      cancel()
      clearInterval(keepAlive)
      this.closing.signal.removeEventListener('abort', onClose)
    }
  }

  private async commitBatch(batch: Batch, outcomes: readonly Outcome[] | undefined): Promise<void> {
    if (this.end.isClosed) throw closedError()
    await batch.commit(outcomes ?? ALL_ACKED)
  }

  private indexOf(token: BatchToken): number {
    const index = this.open.findIndex(entry => entry.token === token)
    if (index === -1) throw new TypeError(`there is no open batch with the token ${token}`)
    return index
  }
}

const timedOut = Symbol('timed out')
