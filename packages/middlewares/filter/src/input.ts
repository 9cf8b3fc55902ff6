import {
  ack,
  type Batch,
  type Clock,
  type Consumer,
  createBackgroundCommits,
  keepSubset,
  mergeBatches,
  type ReceiveLimit,
  repeat,
} from '@mqb/core'
import { Backlog } from './backlog.ts'
import type { Selector } from './selector.ts'
import { giveTurn } from './turn.ts'

/** How long messages that were kept wait for others. A source that is behind fills a batch much sooner. */
const refillMs = 200
/** Source messages stay in memory until their batch is committed, also those that were left out. */
const refillBytes = 16 * 1024 * 1024

/** One receive: what was kept so far, and of how much. */
interface Filling {
  readonly batches: Batch[]
  kept: number
  /** Payload bytes of all messages taken since the first one was kept. */
  bytes: number
}

/**
 * Hands out the messages that are kept. A full source batch that was thinned out is filled up from the batches behind
 * it, until it is as large as the caller wants, or the source hands out less than was asked for.
 */
export class FilterConsumer implements Consumer {
  private readonly inner: Consumer
  private readonly selector: Selector
  private readonly clock: Clock
  private readonly backlog = new Backlog(createBackgroundCommits())
  /** Met after messages were kept: for the next receive. */
  private pending: { readonly error: unknown } | undefined

  constructor(inner: Consumer, selector: Selector, clock: Clock) {
    this.inner = inner
    this.selector = selector
    this.clock = clock
  }

  async receive(limit: ReceiveLimit, signal: AbortSignal): Promise<Batch> {
    this.throwPending()
    if (limit.messages < 1) return this.inner.receive(limit, signal)
    for (;;) {
      await this.backlog.room(signal)
      const batch = await this.inner.receive(limit, signal)
      if (batch.messages.length === 0) return batch
      const filling: Filling = { batches: [], kept: 0, bytes: 0 }
      const isFull = this.take(batch, limit.messages, filling)
      if (filling.kept === 0) {
        await giveTurn()
        signal.throwIfAborted()
        continue
      }
      if (isFull && hasRoom(filling, limit)) await this.refill(filling, limit, signal)
      return mergeBatches(filling.batches)
    }
  }

  pin(): Promise<void> {
    return this.inner.pin()
  }

  status(): ReturnType<Consumer['status']> {
    return this.inner.status()
  }

  close(): Promise<void> {
    this.pending = undefined
    return this.inner.close()
  }

  private throwPending(): void {
    if (this.pending !== undefined) {
      const { error } = this.pending
      this.pending = undefined
      throw error
    }
    this.backlog.throwIfFailed()
  }

  /**
   * Keeps what is to be kept of a source batch; one of which nothing is kept is committed without anybody waiting.
   *
   * @returns whether the source gave as many as were wanted, so that it probably has more.
   */
  private take(batch: Batch, wanted: number, filling: Filling): boolean {
    const { messages } = batch
    const kept = this.selector.select(messages)
    const bytes = byteLength(batch)
    if (kept.length > 0) {
      filling.batches.push(keepSubset(batch, kept, ack('filtered')))
      filling.kept += kept.length
    } else this.backlog.commit(batch, repeat(ack('filtered'), messages.length), bytes)
    if (filling.kept > 0) filling.bytes += bytes
    return messages.length >= wanted
  }

  private async refill(filling: Filling, limit: ReceiveLimit, signal: AbortSignal): Promise<void> {
    const stop = new AbortController()
    const onAbort = (): void => stop.abort(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    const cancel = this.clock.timer(refillMs, () => stop.abort(new Error('the batch is not filled further')))
    try {
      while (!stop.signal.aborted && !signal.aborted && hasRoom(filling, limit)) {
        const wanted = limit.messages - filling.kept
        const batch = await this.inner.receive(
          { messages: wanted, bytes: limit.bytes - filling.bytes },
          stop.signal,
        )
        if (batch.messages.length === 0 || !this.take(batch, wanted, filling)) return
        await giveTurn()
      }
    } catch (error) {
      // Our own "stop waiting" comes back as its reason: nothing was lost, and nothing is to be reported.
      if (!stop.signal.aborted || error !== stop.signal.reason) this.pending = { error }
    } finally {
      cancel()
      signal.removeEventListener('abort', onAbort)
    }
  }
}

function hasRoom(filling: Filling, limit: ReceiveLimit): boolean {
  return filling.kept < limit.messages && filling.bytes < Math.min(limit.bytes, refillBytes)
}

function byteLength(batch: Batch): number {
  let bytes = 0
  for (const message of batch.messages) bytes += message.end - message.start
  return bytes
}
