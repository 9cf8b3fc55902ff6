import type { Message, ReceiveLimit } from '@mqb/core'

/** Collects what one `receive` hands out, with the position of each message in the source. */
export class BatchBuilder {
  readonly messages: Message[] = []
  /** Where the record of each message begins. */
  positions: Float64Array
  /** How many records came before the first message since the start of the run. */
  readonly firstRecord: number
  count = 0
  readonly limit: number
  /** Payload bytes that may still come; at or below 0 the batch is full. */
  bytesLeft: number

  constructor(limit: ReceiveLimit, firstRecord: number) {
    this.limit = limit.messages
    // One message always fits, however large.
    this.bytesLeft = Math.max(1, limit.bytes)
    this.firstRecord = firstRecord
    this.positions = new Float64Array(Math.min(limit.messages, 4096))
  }

  get isFull(): boolean {
    return this.count >= this.limit || this.bytesLeft <= 0
  }

  add(message: Message, position: number): void {
    this.reserve()
    this.messages.push(message)
    this.positions[this.count++] = position
    this.bytesLeft -= message.end - message.start
  }

  /** For loops that fill `messages` and `positions` themselves. */
  reserve(): void {
    if (this.count < this.positions.length) return
    const larger = new Float64Array(this.positions.length * 2)
    larger.set(this.positions)
    this.positions = larger
  }
}
