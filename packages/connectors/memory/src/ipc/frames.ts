import type { Message } from '@mqb/core'
import { arrayHeaderSize, encodedSize, encodeFrame, maxFrameBytes, maxPayloadBytes } from './codec.ts'

/** Splits a stream of bytes into the bodies of its frames, however the bytes are cut. */
export class FrameParser {
  private readonly chunks: Buffer[] = []
  private readonly header = Buffer.alloc(4)
  private headerFilled = 0
  private body: Buffer | undefined
  private bodyFilled = 0

  /** A frame has begun and is not whole. */
  get partial(): boolean {
    return this.headerFilled > 0 || this.chunks.length > 0
  }

  push(chunk: Buffer): void {
    if (chunk.length > 0) this.chunks.push(chunk)
  }

  /**
   * The next whole body, in memory of its own.
   *
   * @throws {RangeError} the frame says that it is larger than frames may be.
   */
  next(): Buffer | undefined {
    while (this.headerFilled < 4) {
      const taken = this.move(this.header, this.headerFilled)
      if (taken === 0) return undefined
      this.headerFilled += taken
    }
    if (this.body === undefined) {
      const length = this.header.readUInt32BE(0)
      if (length > maxFrameBytes) {
        throw new RangeError(`a frame of ${length} bytes; the limit is ${maxFrameBytes}`)
      }
      this.body = Buffer.allocUnsafeSlow(length)
      this.bodyFilled = 0
    }
    while (this.bodyFilled < this.body.length) {
      const taken = this.move(this.body, this.bodyFilled)
      if (taken === 0) return undefined
      this.bodyFilled += taken
    }
    const whole = this.body
    this.body = undefined
    this.headerFilled = 0
    return whole
  }

  /** Copies from the first chunk into `target`; returns how many bytes. */
  private move(target: Buffer, at: number): number {
    const chunk = this.chunks[0]
    if (chunk === undefined) return 0
    const taken = chunk.copy(target, at)
    if (taken === chunk.length) this.chunks.shift()
    else this.chunks[0] = chunk.subarray(taken)
    return taken
  }
}

/** A frame to write, and which messages of the send are in it. */
export interface OutgoingFrame {
  readonly bytes: Buffer
  readonly indexes: readonly number[]
}

/**
 * One frame for a batch, or several in a row where it is larger than a frame may be. Made one at a time, as they are
 * written.
 *
 * @param refuse called for a message that is too large alone.
 */
export function* framesOf(
  messages: readonly Message[],
  refuse: (index: number, bytes: number) => void,
): Generator<OutgoingFrame> {
  let part: Message[] = []
  let indexes: number[] = []
  let size = 0
  const cut = (): OutgoingFrame => {
    const frame = { bytes: encodeFrame(part, size), indexes }
    part = []
    indexes = []
    size = 0
    return frame
  }
  for (const [index, message] of messages.entries()) {
    const own = encodedSize(message)
    if (message.byteLength > maxPayloadBytes || own + arrayHeaderSize(1) > maxFrameBytes) {
      refuse(index, own)
      continue
    }
    if (size + own + arrayHeaderSize(part.length + 1) > maxFrameBytes) yield cut()
    part.push(message)
    indexes.push(index)
    size += own
  }
  if (part.length > 0) yield cut()
}
