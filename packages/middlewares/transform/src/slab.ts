import { spill, viewOf } from './words.ts'

const lineFeed = 0x0a

/**
 * Where the payloads of one batch are written, one after the other, each with a line feed behind it: outputs that write
 * lines take neighbours as one piece then. A slab is never used again.
 */
export class Slab {
  /** The slab that the last reservation lies in. */
  buffer: Buffer = none
  view: DataView = noView
  /** The first byte that is free. */
  private at = 0

  /**
   * Makes room, and takes it. Behind it there is room for what words spill.
   *
   * @param bytes that are needed now, and `more` that will probably follow.
   * @returns where the room begins in `buffer`, which may be another one than before.
   */
  reserve(bytes: number, more: number): number {
    if (this.at + bytes + 1 + spill > this.buffer.length) {
      this.buffer = Buffer.allocUnsafeSlow(bytes + 1 + more + spill)
      this.view = viewOf(this.buffer)
      this.at = 0
    }
    const start = this.at
    this.at += bytes + 1
    return start
  }

  /** To be called when what was reserved last is written. */
  finish(): void {
    this.buffer[this.at - 1] = lineFeed
  }
}

const none = Buffer.alloc(0)
const noView = viewOf(none)
