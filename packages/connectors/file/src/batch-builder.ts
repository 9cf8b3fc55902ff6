import type { Message, ReceiveLimit } from '@mqb/core'

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

/** Collects what one `receive` hands out, with the position of each message in the source. */
export class BatchBuilder {
  readonly messages: Message[]
  readonly positions: Positions = new Positions()
  /** How many records came before the first message since the start of the run. */
  readonly firstRecord: number
  count = 0
  readonly limit: number
  /** Payload bytes that may still come; at or below 0 the batch is full. */
  bytesLeft: number

  /** @param expected how many messages are likely: the room that is made at once. */
  constructor(limit: ReceiveLimit, firstRecord: number, expected: number) {
    this.limit = limit.messages
    // One message always fits, however large.
    this.bytesLeft = Math.max(1, limit.bytes)
    this.firstRecord = firstRecord
    this.messages = new Array(Math.min(limit.messages, expected))
  }

  get isFull(): boolean {
    return this.count >= this.limit || this.bytesLeft <= 0
  }

  add(message: Message, position: number): void {
    this.positions.begin(this.count, position - message.start)
    this.messages[this.count++] = message
    this.bytesLeft -= message.end - message.start
  }

  /** The messages, without the room that was not needed. */
  finish(): readonly Message[] {
    this.messages.length = this.count
    return this.messages
  }
}
