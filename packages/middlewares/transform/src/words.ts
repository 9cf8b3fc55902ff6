/** Buffers are looked at four bytes at a time where that is possible: a fraction of the price of single bytes. */
export function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
}

/** Bytes that may be written behind what was asked for. */
export const spill = 3

// Beyond this, the copy that Node brings is faster.
const longest = 400

/**
 * Copies `source[from, to)` to `target` at `at`, and returns one past the last byte. Up to `spill` bytes behind it are
 * written too, so there has to be room for them.
 */
export function copyWords(
  source: Buffer,
  sourceView: DataView,
  from: number,
  to: number,
  target: Buffer,
  targetView: DataView,
  at: number,
): number {
  const end = at + to - from
  if (to - from > longest || to + spill > source.length) {
    if (to - from > 16) source.copy(target, at, from, to)
    else for (let read = from, write = at; read < to; read++) target[write++] = source[read] as number
    return end
  }
  for (let read = from, write = at; read < to; read += 4, write += 4)
    targetView.setInt32(write, sourceView.getInt32(read, true), true)
  return end
}

const quotes = 0x22222222
const backslashes = 0x5c5c5c5c
const ones = 0x01010101
const spaces = 0x20202020
const highBits = 0x80808080 | 0

/**
 * The first byte at or after `at` that does not stand for itself in a JSON string: a quote, a backslash or a control
 * character. May lie behind the end of the document; the end of the buffer when there is none.
 */
export function plainEnd(bytes: Buffer, view: DataView, at: number): number {
  const last = bytes.length - 4
  let p = at
  for (; p <= last; p += 4) {
    const word = view.getInt32(p, true)
    const quote = word ^ quotes
    const backslash = word ^ backslashes
    // The lowest bit that is set belongs to the first such byte; those above it may be wrong.
    const found =
      (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) | ((word - spaces) & ~word)) & highBits
    if (found !== 0) return p + ((31 - Math.clz32(found & -found)) >> 3)
  }
  for (; p < bytes.length; p++) {
    const c = bytes[p] as number
    if (c < 0x20 || c === 0x22 || c === 0x5c) return p
  }
  return p
}

/** Some bytes to be compared with, four at a time. */
export interface Token {
  readonly length: number
  readonly words: Int32Array
  /** Which bits of the last word belong to it. */
  readonly mask: number
}

export function createToken(bytes: Buffer, from: number, to: number): Token {
  const length = to - from
  const padded = Buffer.alloc(Math.ceil(length / 4) * 4)
  bytes.copy(padded, 0, from, to)
  const view = viewOf(padded)
  const words = Int32Array.from({ length: padded.length / 4 }, (_, index) => view.getInt32(4 * index, true))
  const rest = length % 4
  return { length, words, mask: rest === 0 ? -1 : (1 << (8 * rest)) - 1 }
}

/** Whether the token stands at `at`, before `end`. */
export function standsAt(token: Token, view: DataView, at: number, end: number): boolean {
  const { words } = token
  const last = words.length - 1
  if (at + token.length > end || at + 4 * words.length > view.byteLength) return false
  for (let index = 0; index < last; index++)
    if (view.getInt32(at + 4 * index, true) !== words[index]) return false
  return ((view.getInt32(at + 4 * last, true) ^ (words[last] as number)) & token.mask) === 0
}
