import assert from 'node:assert/strict'
import { ALL_ACKED, type Batch, type Consumer, EndOfStream, type Message, type ReceiveLimit } from '@mqb/core'
import { settlesWithin, within } from '../runner/within.ts'

export const wideLimit: ReceiveLimit = { messages: 10_000, bytes: 1 << 30 }

/**
 * A consumer as the tests use it: waits are bounded, empty batches and ends are "nothing yet". A receive that ignores
 * its signal is kept and asked again by the next call, so that one fault does not hide behind another.
 */
export class Receiver {
  readonly consumer: Consumer
  private readonly patienceMs: number
  private readonly quietMs: number
  private running: Promise<Batch | undefined> | undefined

  constructor(consumer: Consumer, limits: { readonly patienceMs: number; readonly quietMs: number }) {
    this.consumer = consumer
    this.patienceMs = limits.patienceMs
    this.quietMs = limits.quietMs
  }

  /** The next batch that is not empty; `undefined` when none comes within `ms`. */
  async next(limit: ReceiveLimit = wideLimit, ms = this.patienceMs): Promise<Batch | undefined> {
    const until = performance.now() + ms
    for (;;) {
      const batch = await this.once(limit, Math.max(1, until - performance.now()))
      if (batch !== undefined && batch.messages.length > 0) return batch
      if (performance.now() >= until) return undefined
      await new Promise(resolve => setTimeout(resolve, 2))
    }
  }

  /** A batch that must come. */
  async must(limit: ReceiveLimit = wideLimit): Promise<Batch> {
    const batch = await this.next(limit)
    if (batch === undefined) assert.fail(`no message came within ${this.patienceMs} ms`)
    return batch
  }

  /** Batches with at least `count` messages in all, not committed. */
  async lend(count: number, limit: ReceiveLimit = wideLimit): Promise<Batch[]> {
    const batches: Batch[] = []
    let have = 0
    while (have < count) {
      const batch = await this.next({ ...limit, messages: Math.min(limit.messages, count - have) })
      if (batch === undefined) assert.fail(`${have} of ${count} messages came within ${this.patienceMs} ms`)
      batches.push(batch)
      have += batch.messages.length
    }
    return batches
  }

  /** `count` messages and whatever comes in the silence after them, each batch committed as delivered. */
  async take(count: number, limit: ReceiveLimit = wideLimit): Promise<Message[]> {
    const messages: Message[] = []
    while (messages.length < count) {
      const batch = await this.next(limit)
      if (batch === undefined)
        assert.fail(`${messages.length} of ${count} messages came within ${this.patienceMs} ms`)
      messages.push(...batch.messages)
      await this.commit(batch)
    }
    messages.push(...(await this.rest()))
    return messages
  }

  /** What comes until it is quiet, committed as delivered. */
  async rest(): Promise<Message[]> {
    const messages: Message[] = []
    for (;;) {
      const batch = await this.next(wideLimit, this.quietMs)
      if (batch === undefined) return messages
      messages.push(...batch.messages)
      await this.commit(batch)
    }
  }

  async commit(batch: Batch): Promise<void> {
    await within(batch.commit(ALL_ACKED), this.patienceMs, 'commit')
  }

  private async once(limit: ReceiveLimit, ms: number): Promise<Batch | undefined> {
    const stop = new AbortController()
    this.running ??= this.consumer.receive(limit, stop.signal).then(undefined, (error: unknown) => {
      if (error === stop.signal.reason || EndOfStream.is(error)) return undefined
      throw error
    })
    if (await settlesWithin(this.running, ms)) return this.finish()
    stop.abort(new Error('the test stopped waiting'))
    // Late is no harm here: what comes of it is for the next call.
    return (await settlesWithin(this.running, Math.max(20, this.quietMs))) ? this.finish() : undefined
  }

  private finish(): Promise<Batch | undefined> {
    const { running } = this
    this.running = undefined
    return running ?? Promise.resolve(undefined)
  }
}
