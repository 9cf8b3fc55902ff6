import {
  assertOutcomeCount,
  type Batch,
  type Consumer,
  closedError,
  EndOfStream,
  type EndpointStatus,
  emptyBatch,
  Gap,
  type Message,
  MqbError,
  type Opening,
  type Outcomes,
  outcomeAt,
  type ReceiveLimit,
  settles,
} from '@mqb/core'
import type { MemoryConfig } from '../config.ts'
import { errorCodes } from '../errors.ts'
import { idle, Waits } from '../waiting.ts'
import type { EventLog, Subscriber } from './log.ts'

export interface StoreConsumerOptions {
  readonly log: EventLog
  /** Two consumers that are open at once never share one. */
  readonly subscriberId: string
  readonly target: string
  readonly positionLost: MemoryConfig['position_lost']
  readonly opening: Opening
  release(): void
}

/** Reads every event of a store, in order, from a position of its own. */
export class StoreConsumer implements Consumer {
  private readonly options: StoreConsumerOptions
  private readonly log: EventLog
  private readonly subscriber: Subscriber
  private readonly waits = new Waits()
  /** Offset of the next event to read. */
  private next: number
  /** Counts the times that reading went back: commits of batches from before move nothing. */
  private generation = 0
  private closed = false

  constructor(options: StoreConsumerOptions) {
    this.options = options
    this.log = options.log
    this.subscriber = this.log.subscribe(options.subscriberId, this.now())
    this.next = this.subscriber.acked + 1
  }

  async receive(limit: ReceiveLimit, signal: AbortSignal): Promise<Batch> {
    if (this.closed) throw closedError()
    signal.throwIfAborted()
    if (limit.messages < 1) return emptyBatch
    this.findPosition()
    if (this.next > this.log.head && !(await this.waitForEvents(signal))) return emptyBatch
    this.log.touch(this.subscriber, this.now())
    const messages = this.log.read(this.next, limit)
    const first = this.next
    this.next += messages.length
    const generation = this.generation
    return { messages, commit: outcomes => this.commit({ messages, first, generation }, outcomes) }
  }

  pin(): Promise<void> {
    return Promise.resolve()
  }

  status(): EndpointStatus {
    return {
      healthy: !this.closed,
      target: this.options.target,
      pending: this.log.head - this.next + 1,
      details: { mode: 'event_store', current_offset: this.next - 1, head_offset: this.log.head },
    }
  }

  close(): Promise<void> {
    if (!this.closed) {
      this.closed = true
      this.waits.interrupt(closedError())
      this.log.unsubscribe(this.subscriber, this.now())
      this.options.release()
    }
    return Promise.resolve()
  }

  private now(): number {
    return this.options.opening.clock.monotonic()
  }

  /** Events that were dropped before they were read are a matter of the policy. */
  private findPosition(): void {
    const earliest = this.log.earliest
    if (this.next >= earliest) return
    const { positionLost, opening, target } = this.options
    if (positionLost === 'fail') throw positionLostError(this.next, earliest, target)
    const missed = earliest - this.next
    this.next = positionLost === 'latest' ? this.log.head + 1 : earliest
    this.generation++
    opening.counters.add('position_lost')
    opening.log.warn(
      `${missed} events of ${target} were dropped before they were read; going on at ${this.next}, as position_lost: ${positionLost} says`,
      { code: 'MQB_POSITION_LOST', missed, position: this.next },
    )
  }

  /** False: a drain heard nothing for long enough. */
  private async waitForEvents(signal: AbortSignal): Promise<boolean> {
    const { drain, drainIdleMs, clock } = this.options.opening
    const silence = drain ? { clock, ms: drainIdleMs } : undefined
    try {
      while (this.next > this.log.head) {
        if (this.log.closed) throw new EndOfStream('the topic is closed')
        await this.waits.run(signal, inner => this.log.changed(inner), silence)
        if (this.closed) throw closedError()
      }
    } catch (error) {
      if (error === idle) return false
      throw error
    }
    this.findPosition()
    return true
  }

  private async commit(
    batch: { readonly messages: readonly Message[]; readonly first: number; readonly generation: number },
    outcomes: Outcomes,
  ): Promise<void> {
    const count = batch.messages.length
    assertOutcomeCount(outcomes, count)
    if (this.closed) throw closedError()
    if (batch.generation !== this.generation) return
    let done = 0
    while (done < count && settles(outcomeAt(outcomes, done))) done++
    if (done > 0) this.log.acknowledge(this.subscriber, batch.first + done - 1, this.now())
    if (done === count) return
    // From the first message that is not done everything is read again.
    this.generation++
    this.next = batch.first + done
  }
}

function positionLostError(requested: number, earliest: number, target: string): MqbError {
  const cause = new Gap({ requested: String(requested), base: String(earliest) })
  return new MqbError({
    kind: 'permanent',
    code: 'MQB_POSITION_LOST',
    what: `${earliest - requested} events of ${target} were dropped before they were read: ${cause.message}`,
    mend: errorCodes.MQB_POSITION_LOST.mend,
    cause,
  })
}
