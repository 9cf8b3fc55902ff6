import type { Message, PackedMessages, ReceiveLimit } from '@mqb/core'
import { LineIndex, PackedLines } from './packed-lines.ts'
import type { SlabPool } from './slab-pool.ts'

/**
 * Where the records of a batch begin. A message that lies in the slab that it was read into needs nothing of its own:
 * its place in the slab and that of the slab in the source say it.
 */
export class Positions {
  // From message `#first[n]` on, a record begins at `#bases[n]` plus the start of its message.
  readonly #first: number[] = []
  readonly #bases: number[] = []

  /** `base` plus the start of its message is the position of message `index`, and of those after it. */
  begin(index: number, base: number): void {
    if (this.#bases.at(-1) === base) return
    this.#first.push(index)
    this.#bases.push(base)
  }

  of(index: number, message: Message): number {
    let low = 0
    let high = this.#first.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#first[middle] as number) <= index) low = middle
      else high = middle - 1
    }
    return (this.#bases[low] as number) + message.start
  }
}

/** Messages in order, made or still to be made. */
export interface MessageList {
  readonly count: number
  readonly messages: readonly Message[]
  readonly packed?: PackedMessages
  /** All of them are committed as delivered: nobody will ask for them again. */
  release?(): void
}

/** Collects what one `receive` hands out, with the position of each message in the source. */
export class BatchBuilder {
  readonly positions: Positions = new Positions()
  /** How many records came before the first message since the start of the run. */
  readonly firstRecord: number
  readonly limit: number
  /** Payload bytes that may still come; at or below 0 the batch is full. */
  bytesLeft: number
  readonly #bytes: number
  readonly #expected: number
  // Either lines that were only found, or messages.
  #lines: LineIndex | undefined
  #messages: Message[] | undefined

  /** @param expected how many messages are likely: the room that is made at once. */
  constructor(limit: ReceiveLimit, firstRecord: number, expected: number) {
    this.limit = limit.messages
    // One message always fits, however large.
    this.#bytes = Math.max(1, limit.bytes)
    this.bytesLeft = this.#bytes
    this.firstRecord = firstRecord
    this.#expected = Math.min(limit.messages, expected)
  }

  get count(): number {
    return this.#lines?.count ?? this.#messages?.length ?? 0
  }

  get isFull(): boolean {
    return this.count >= this.limit || this.bytesLeft <= 0
  }

  /** Where to note lines; `undefined` once there are messages of another kind. */
  lines(pool: SlabPool): LineIndex | undefined {
    if (this.#messages !== undefined) return undefined
    this.#lines ??= new LineIndex(this.#expected, pool)
    return this.#lines
  }

  add(message: Message, position: number): void {
    this.#messages ??= this.#lines?.toMessages() ?? []
    this.#lines = undefined
    this.positions.begin(this.#messages.length, position - message.start)
    this.#messages.push(message)
    this.bytesLeft -= message.end - message.start
  }

  finish(): MessageList {
    const lines = this.#lines
    if (lines === undefined || lines.count === 0) {
      const messages = this.#messages ?? []
      return { count: messages.length, messages }
    }
    const packed = new PackedLines(lines, this.#bytes - this.bytesLeft)
    if (lines.hasReturns) return { count: packed.count, messages: packed.messages }
    return {
      count: packed.count,
      packed,
      get messages() {
        return packed.messages
      },
      release: () => packed.release(),
    }
  }
}
