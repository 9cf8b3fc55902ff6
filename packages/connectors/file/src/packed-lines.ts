import type { Message, PackedMessages, PackedRun } from '@mqb/core'
import { LineMessage } from './line-message.ts'
import type { SlabPool } from './slab-pool.ts'

const lineFeed = 10
const carriageReturn = 13

interface Segment {
  readonly bytes: Buffer
  /** First byte of its first line. */
  readonly start: number
  /** Index of its first line. */
  readonly first: number
}

/** Lines that were found in slabs. Nobody has made messages of them yet, and perhaps nobody will. */
export class PackedLines implements PackedMessages {
  readonly delimiter: number = lineFeed
  readonly runs: readonly PackedRun[]
  readonly count: number
  readonly byteLength: number
  readonly #lines: LineIndex
  #messages: readonly Message[] | undefined
  #isReleased = false

  constructor(lines: LineIndex, byteLength: number) {
    this.count = lines.count
    this.byteLength = byteLength
    this.#lines = lines
    this.runs = lines.segments.map(({ bytes, start }, index) => {
      const next = lines.segments[index + 1]?.first ?? lines.count
      return { bytes, start, end: (lines.ends[next - 1] as number) + 1 }
    })
  }

  get messages(): readonly Message[] {
    if (this.#isReleased)
      throw new TypeError('the messages of a packed batch were asked for after its commit')
    this.#messages ??= this.#lines.toMessages()
    return this.#messages
  }

  /** Everything is committed. Where no message was made, the memory can be read into again. */
  release(): void {
    if (this.#messages !== undefined || this.#isReleased) return
    this.#isReleased = true
    this.#lines.release()
  }
}

/** Where the line feeds of a batch stand. */
export class LineIndex {
  readonly segments: Segment[] = []
  /** By line, the place of its line feed in its slab. */
  ends: Int32Array
  count = 0
  /** A carriage return stands before a line feed, so the bytes between are not all payload. */
  hasReturns = false
  readonly #pool: SlabPool

  constructor(expected: number, pool: SlabPool) {
    this.ends = pool.takeNumbers(expected)
    this.#pool = pool
  }

  /** The lines from here on lie in this slab, the first from `start` on. */
  begin(bytes: Buffer, start: number): void {
    this.#pool.retain(bytes)
    this.segments.push({ bytes, start, first: this.count })
  }

  /** Takes the last `begin` back: no line followed. */
  cancel(): void {
    const last = this.segments.pop()
    if (last !== undefined) this.#pool.release(last.bytes)
  }

  /** Room for at least one more line. */
  grow(): void {
    const larger = new Int32Array(Math.max(16, 2 * this.ends.length))
    larger.set(this.ends)
    this.ends = larger
  }

  /** Called at most once, and then `release` is not. */
  toMessages(): Message[] {
    for (const { bytes } of this.segments) {
      this.#pool.share(bytes)
      this.#pool.release(bytes)
    }
    return makeMessages(this.segments, this.ends, this.count)
  }

  release(): void {
    for (const { bytes } of this.segments) this.#pool.release(bytes)
    this.#pool.giveNumbers(this.ends)
  }
}

function makeMessages(segments: readonly Segment[], ends: Int32Array, count: number): Message[] {
  const messages = new Array<Message>(count)
  for (let index = 0; index < segments.length; index++) {
    const { bytes, start, first } = segments[index] as Segment
    const next = segments[index + 1]?.first ?? count
    let from = start
    for (let line = first; line < next; line++) {
      const at = ends[line] as number
      const end = at > from && bytes[at - 1] === carriageReturn ? at - 1 : at
      messages[line] = new LineMessage(bytes, from, end)
      from = at + 1
    }
  }
  return messages
}
