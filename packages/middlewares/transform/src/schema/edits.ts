import { copyBytes } from '../copy-bytes.ts'
import type { Slab } from '../slab.ts'
import { copyWords } from '../words.ts'
import type { Scratch } from './scratch.ts'

const fields = 4

/**
 * What to replace in a document, in order of position: `[from, to)` by some bytes of another place. They lie in the
 * buffer given, or in the scratch, which may move while it grows.
 */
export class Edits {
  count = 0
  private offsets = new Int32Array(64 * fields)
  private readonly buffers: (Buffer | undefined)[] = []

  /** @param buffer holds the new bytes; `undefined` for the scratch. */
  add(from: number, to: number, buffer: Buffer | undefined, newFrom: number, newTo: number): void {
    const at = this.count * fields
    if (at === this.offsets.length) {
      const larger = new Int32Array(2 * at)
      larger.set(this.offsets)
      this.offsets = larger
    }
    this.offsets[at] = from
    this.offsets[at + 1] = to
    this.offsets[at + 2] = newFrom
    this.offsets[at + 3] = newTo
    this.buffers[this.count++] = buffer
  }

  /** Forgets all from number `first` on. */
  cut(first: number): void {
    this.count = first
  }

  /** Lets go of what long lists and payloads took. */
  release(): void {
    if (this.count > 4096) {
      this.offsets = new Int32Array(64 * fields)
      this.buffers.length = 0
    }
    for (let index = 0; index < this.count && index < this.buffers.length; index++)
      this.buffers[index] = undefined
    this.count = 0
  }

  /** Bytes that a document of `length` bytes has after the edits from number `first` on. */
  lengthOf(length: number, first: number): number {
    const { offsets } = this
    let total = length
    for (let at = first * fields; at < this.count * fields; at += fields)
      total +=
        (offsets[at + 3] as number) -
        (offsets[at + 2] as number) -
        (offsets[at + 1] as number) +
        (offsets[at] as number)
    return total
  }

  /** Writes the document `source[start, end)` with the edits from number `first` on made. Spills behind its end. */
  write(
    source: Buffer,
    sourceView: DataView,
    start: number,
    end: number,
    first: number,
    scratch: Scratch,
    target: Pick<Slab, 'buffer' | 'view'>,
    at: number,
  ): void {
    const { offsets, buffers } = this
    const { buffer, view } = target
    let read = start
    let write = at
    for (let index = first; index < this.count; index++) {
      const offset = index * fields
      const from = offsets[offset + 2] as number
      const to = offsets[offset + 3] as number
      write = copyWords(source, sourceView, read, offsets[offset] as number, buffer, view, write)
      const own = buffers[index]
      if (own === undefined) write = copyWords(scratch.bytes, scratch.view, from, to, buffer, view, write)
      else if (own === source) write = copyWords(source, sourceView, from, to, buffer, view, write)
      else write = copyBytes(own, from, to, buffer, write)
      read = offsets[offset + 1] as number
    }
    copyWords(source, sourceView, read, end, buffer, view, write)
  }
}
