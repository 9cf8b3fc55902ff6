import type { Message } from '@mqb/core'
import { topicClosedError } from '../errors.ts'
import { Fifo } from '../fifo.ts'
import { keep } from '../keep.ts'

/** A batch in a channel. The messages before `from` were handed out already. */
export interface QueuedBatch {
  readonly messages: readonly Message[]
  readonly from: number
  /** Payload bytes from `from` on. */
  readonly bytes: number
}

interface Taker {
  resolve(batch: QueuedBatch | undefined): void
}

interface Putter {
  readonly batch: QueuedBatch
  resolve(): void
  reject(error: unknown): void
}

/**
 * A bounded queue of batches between any number of senders and competing receivers, in order of arrival. Batches that
 * come back (nacked, or left over at a close) are always taken, above the bound if need be: nobody waits to give back.
 */
export class Channel {
  readonly capacity: number
  private readonly batches = new Fifo<QueuedBatch>()
  // Sets keep the order of arrival and let a cancelled wait leave from the middle.
  private readonly takers = new Set<Taker>()
  private readonly putters = new Set<Putter>()
  private ended = false

  constructor(capacity: number) {
    this.capacity = capacity
  }

  /** Batches that wait. */
  get length(): number {
    return this.batches.length
  }

  get closed(): boolean {
    return this.ended
  }

  /** Nothing in it, and nobody waits at either end. */
  get idle(): boolean {
    return this.batches.length === 0 && this.takers.size === 0 && this.putters.size === 0
  }

  /**
   * Puts a batch in if there is room at once.
   *
   * @throws {MqbError} kind `retryable` when the channel is closed.
   */
  tryPut(messages: readonly Message[]): boolean {
    if (this.ended) throw topicClosedError()
    // Who waits was let in as soon as there was room: where there is room nobody waits.
    if (!this.hasRoom()) return false
    this.append({ ...keep(messages), from: 0 })
    return true
  }

  /**
   * Puts a batch in; waits while the channel is full, after those who came first.
   *
   * @throws `signal.reason`, with nothing put in; kind `retryable` when the channel is or gets closed.
   */
  put(messages: readonly Message[], signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    if (this.tryPut(messages)) return Promise.resolve()
    const batch: QueuedBatch = { ...keep(messages), from: 0 }
    return new Promise<void>((resolve, reject) => {
      const putter: Putter = {
        batch,
        resolve: () => {
          signal?.removeEventListener('abort', cancel)
          resolve()
        },
        reject: error => {
          signal?.removeEventListener('abort', cancel)
          reject(error)
        },
      }
      const cancel = (): void => {
        this.putters.delete(putter)
        reject(signal?.reason)
      }
      this.putters.add(putter)
      signal?.addEventListener('abort', cancel, { once: true })
    })
  }

  /** The oldest batch, if there is one. */
  tryTake(): QueuedBatch | undefined {
    const batch = this.batches.shift()
    if (batch !== undefined) this.admitPutters()
    return batch
  }

  /**
   * The oldest batch, as soon as there is one; nothing when the channel is closed and empty. Receivers that wait are
   * served in the order in which they came.
   *
   * @throws `signal.reason`, with nothing taken.
   */
  take(signal: AbortSignal): Promise<QueuedBatch | undefined> {
    const batch = this.tryTake()
    if (batch !== undefined || this.ended) return Promise.resolve(batch)
    return new Promise<QueuedBatch | undefined>((resolve, reject) => {
      const taker: Taker = {
        resolve: taken => {
          signal.removeEventListener('abort', cancel)
          resolve(taken)
        },
      }
      const cancel = (): void => {
        this.takers.delete(taker)
        reject(signal.reason)
      }
      this.takers.add(taker)
      signal.addEventListener('abort', cancel, { once: true })
    })
  }

  /** Takes messages back, behind all others or ahead of them. Never waits. */
  giveBack(messages: readonly Message[], place: 'front' | 'back'): void {
    if (messages.length > 0) this.restore({ ...keep(messages), from: 0 }, place)
  }

  /** As `giveBack`, for a batch of this channel. */
  restore(batch: QueuedBatch, place: 'front' | 'back'): void {
    if (this.takers.size > 0 || place === 'back') this.append(batch)
    else this.batches.unshift(batch)
  }

  /** Nothing can be put in any more; what is in it can still be taken. */
  close(): void {
    if (this.ended) return
    this.ended = true
    for (const putter of [...this.putters]) putter.reject(topicClosedError())
    this.putters.clear()
    for (const taker of [...this.takers]) taker.resolve(undefined)
    this.takers.clear()
  }

  private hasRoom(): boolean {
    return this.batches.length < this.capacity
  }

  private append(batch: QueuedBatch): void {
    const taker = first(this.takers)
    if (taker === undefined) {
      this.batches.push(batch)
      return
    }
    this.takers.delete(taker)
    taker.resolve(batch)
  }

  private admitPutters(): void {
    while (this.putters.size > 0 && this.hasRoom()) {
      const putter = first(this.putters)!
      this.putters.delete(putter)
      this.append(putter.batch)
      putter.resolve()
    }
  }
}

function first<T>(set: ReadonlySet<T>): T | undefined {
  for (const item of set) return item
  return undefined
}
