import { spill, viewOf } from './words.ts'

/** Where the payloads of one batch are written, one after the other. A slab is never used again. */
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
    if (this.at + bytes + spill > this.buffer.length) {
      this.buffer = Buffer.allocUnsafeSlow(bytes + more + spill)
      this.view = viewOf(this.buffer)
      this.at = 0
    }
    const start = this.at
    this.at += bytes
    return start
  }
}

const none = Buffer.alloc(0)
const noView = viewOf(none)
