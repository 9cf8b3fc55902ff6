/** Where the payloads of one batch are written, one after the other. A slab is never used again. */
export class Slab {
  /** The slab that the last reservation lies in. */
  buffer: Buffer = none
  /** The first byte that is free. */
  private at = 0

  /**
   * Makes room, and takes it.
   *
   * @param bytes that are needed now, and `more` that will probably follow.
   * @returns where the room begins in `buffer`, which may be another one than before.
   */
  reserve(bytes: number, more: number): number {
    if (this.at + bytes > this.buffer.length) {
      this.buffer = Buffer.allocUnsafeSlow(bytes + more)
      this.at = 0
    }
    const start = this.at
    this.at += bytes
    return start
  }
}

const none = Buffer.alloc(0)

// Below this, a loop is faster than a call that copies.
const shortest = 48

/** Copies `source[from, to)` to `target` at `at`, and returns one past the last byte. */
export function copyBytes(source: Buffer, from: number, to: number, target: Buffer, at: number): number {
  if (to - from > shortest) return at + source.copy(target, at, from, to)
  let write = at
  for (let read = from; read < to; read++) target[write++] = source[read] as number
  return write
}
