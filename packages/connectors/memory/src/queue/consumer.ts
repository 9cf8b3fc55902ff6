import {
  ALL_ACKED,
  assertOutcomeCount,
  type Batch,
  type Consumer,
  closedError,
  EndOfStream,
  type EndpointStatus,
  emptyBatch,
  type Message,
  type Opening,
  type Outcomes,
  outcomeAt,
  type ReceiveLimit,
  settles,
} from '@mqb/core'
import { idle, Waits } from '../waiting.ts'
import type { QueuedBatch } from './channel.ts'
import type { QueueTopic } from './topic.ts'

export interface QueueConsumerOptions {
  readonly topic: QueueTopic
  readonly target: string
  /** Messages that failed for now go back into the topic; else they are gone, counted and warned about. */
  readonly redeliver: boolean
  /** Where they go. */
  readonly redeliverAt: 'front' | 'back'
  readonly opening: Opening
  /** Called once at close, after everything went back. */
  release(): void | Promise<void>
  /** Added to the details of the status. */
  details?(): Readonly<Record<string, unknown>>
}

/** Receives from a queue in competition with others. */
export class QueueConsumer implements Consumer {
  private readonly options: QueueConsumerOptions
  private readonly waits = new Waits()
  private readonly outstanding = new Set<readonly Message[]>()
  /** What the last batch of the channel had more than the caller wanted. */
  private surplus: QueuedBatch | undefined
  private closing: Promise<void> | undefined
  private lost = 0
  private lostSinceWarning = 0
  private nextWarningMs = 0

  constructor(options: QueueConsumerOptions) {
    this.options = options
  }

  async receive(limit: ReceiveLimit, signal: AbortSignal): Promise<Batch> {
    if (this.closing !== undefined) throw closedError()
    signal.throwIfAborted()
    if (limit.messages < 1) return emptyBatch
    const first = this.next() ?? (await this.waitForBatch(signal))
    if (first === undefined) return emptyBatch
    return this.handOut(this.fill(first, limit))
  }

  pin(): Promise<void> {
    return Promise.resolve()
  }

  status(): EndpointStatus {
    const { topic, target, details } = this.options
    const requests = topic.requests
    return {
      healthy: this.closing === undefined,
      target,
      pending: topic.channel.length + (this.surplus === undefined ? 0 : 1),
      capacity: topic.channel.capacity,
      details: {
        ...details?.(),
        ...(this.lost === 0 ? {} : { nacked_dropped: this.lost }),
        ...(requests.lateReplies === 0 ? {} : { late_replies: requests.lateReplies }),
        ...(requests.droppedResponses === 0 ? {} : { dropped_responses: requests.droppedResponses }),
      },
    }
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown()
    return this.closing
  }

  private async shutDown(): Promise<void> {
    this.waits.interrupt(closedError())
    // Newest first, each to the front: afterwards the channel is in the order of arrival again.
    const { channel } = this.options.topic
    if (this.surplus !== undefined) channel.restore(this.surplus, 'front')
    this.surplus = undefined
    for (const messages of [...this.outstanding].reverse()) channel.giveBack(messages, 'front')
    this.outstanding.clear()
    await this.options.release()
  }

  private next(): QueuedBatch | undefined {
    const kept = this.surplus
    this.surplus = undefined
    return kept ?? this.options.topic.channel.tryTake()
  }

  /** Nothing: a drain heard nothing for long enough. */
  private async waitForBatch(signal: AbortSignal): Promise<QueuedBatch | undefined> {
    const { channel } = this.options.topic
    const { drain, drainIdleMs, clock } = this.options.opening
    let batch: QueuedBatch | undefined
    try {
      const silence = drain ? { clock, ms: drainIdleMs } : undefined
      batch = await this.waits.run(signal, inner => channel.take(inner), silence)
    } catch (error) {
      if (error === idle) return undefined
      throw error
    }
    if (batch === undefined) throw new EndOfStream('the topic is closed')
    if (this.closing !== undefined) {
      channel.restore(batch, 'front')
      throw closedError()
    }
    return batch
  }

  /** A batch that fits goes on as it is; else several are joined until half of what is wanted is there. */
  private fill(first: QueuedBatch, limit: ReceiveLimit): readonly Message[] {
    const fits = first.from === 0 && first.messages.length <= limit.messages && first.bytes <= limit.bytes
    const { channel } = this.options.topic
    if (fits && (first.messages.length * 2 >= limit.messages || channel.length === 0)) return first.messages
    const filled: Message[] = []
    let bytes = 0
    let batch: QueuedBatch | undefined = first
    while (batch !== undefined) {
      bytes += this.takePart(batch, filled, limit, bytes)
      const wantsMore =
        this.surplus === undefined && filled.length * 2 < limit.messages && bytes < limit.bytes
      batch = wantsMore ? channel.tryTake() : undefined
    }
    return filled
  }

  /** Moves messages over until a limit is reached; the rest becomes the surplus. Returns their bytes. */
  private takePart(batch: QueuedBatch, filled: Message[], limit: ReceiveLimit, before: number): number {
    const { messages } = batch
    let index = batch.from
    let taken = 0
    while (index < messages.length && filled.length < limit.messages) {
      if (filled.length > 0 && before + taken >= limit.bytes) break
      const message = messages[index++]!
      taken += message.byteLength
      filled.push(message)
    }
    if (index < messages.length) this.surplus = { messages, from: index, bytes: batch.bytes - taken }
    return taken
  }

  private handOut(messages: readonly Message[]): Batch {
    // The channel may hand out one and the same array again after a nack: the set needs an object per hand-out.
    const loan = this.outstanding.has(messages) ? messages.slice() : messages
    this.outstanding.add(loan)
    return { messages: loan, commit: outcomes => this.commit(loan, outcomes) }
  }

  private async commit(loan: readonly Message[], outcomes: Outcomes): Promise<void> {
    assertOutcomeCount(outcomes, loan.length)
    if (this.closing !== undefined) throw closedError()
    if (!this.outstanding.delete(loan)) throw new TypeError('commit was called twice for one batch')
    const { requests, channel } = this.options.topic
    if (outcomes === ALL_ACKED) {
      if (requests.size > 0) for (const message of loan) requests.acknowledge(message)
      return
    }
    const nacked: Message[] = []
    for (const [index, message] of loan.entries()) {
      const outcome = outcomeAt(outcomes, index)
      if (outcome.kind === 'reply') requests.reply(message, outcome.message)
      else if (outcome.kind === 'ack') requests.acknowledge(message)
      else if (this.options.redeliver && !settles(outcome)) nacked.push(message)
      else {
        if (!settles(outcome)) this.lose()
        requests.fail(message, outcome.error)
      }
    }
    channel.giveBack(nacked, this.options.redeliverAt)
    this.warnAboutLosses()
  }

  private lose(): void {
    this.lost++
    this.lostSinceWarning++
    this.options.opening.counters.add('nacked_dropped')
  }

  private warnAboutLosses(): void {
    const now = this.options.opening.clock.monotonic()
    if (this.lostSinceWarning === 0 || now < this.nextWarningMs) return
    this.options.opening.log.warn(
      `${this.lostSinceWarning} messages of ${this.options.target} failed for now and are gone, because this input does not redeliver (set enable_nack: true)`,
      { code: 'MQB_MEMORY_NACKED_DROPPED', count: this.lostSinceWarning },
    )
    this.lostSinceWarning = 0
    this.nextWarningMs = now + 10_000
  }
}
