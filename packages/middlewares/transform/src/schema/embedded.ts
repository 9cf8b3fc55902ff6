import type { Scratch } from './scratch.ts'

/** What a text holds once its escapes are read. */
export interface Unescaped {
  /** A line break was among it. */
  breaks: boolean
}

/**
 * Appends the inside of a checked JSON string, `bytes[start, end)`, to the scratch with its escapes read.
 *
 * @returns whether it is Unicode text: false for half a surrogate pair, which UTF-8 has no bytes for.
 */
export function readEscapes(
  bytes: Buffer,
  start: number,
  end: number,
  scratch: Scratch,
  found: Unescaped,
): boolean {
  const target = scratch.grow(end - start)
  found.breaks = false
  let write = scratch.top
  let read = start
  while (read < end) {
    const c = bytes[read] as number
    if (c !== 0x5c) {
      target[write++] = c
      read++
      continue
    }
    const letter = bytes[read + 1] as number
    if (letter !== 0x75) {
      const plain = plainOf(letter)
      if (plain === 0x0a || plain === 0x0d) found.breaks = true
      target[write++] = plain
      read += 2
      continue
    }
    let code = hexAt(bytes, read + 2)
    read += 6
    if (code >= 0xd800 && code < 0xe000) {
      const low =
        code < 0xdc00 && read + 6 <= end && bytes[read] === 0x5c && bytes[read + 1] === 0x75
          ? hexAt(bytes, read + 2)
          : 0
      if (low < 0xdc00 || low >= 0xe000) return false
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
      read += 6
    }
    if (code === 0x0a || code === 0x0d) found.breaks = true
    write = writeCode(target, write, code)
  }
  scratch.top = write
  return true
}

function plainOf(letter: number): number {
  switch (letter) {
    case 0x6e:
      return 0x0a
    case 0x72:
      return 0x0d
    case 0x74:
      return 0x09
    case 0x62:
      return 0x08
    case 0x66:
      return 0x0c
    default:
      return letter
  }
}

function hexAt(bytes: Buffer, at: number): number {
  let value = 0
  for (let p = at; p < at + 4; p++) {
    const c = bytes[p] as number
    value = (value << 4) | (c <= 0x39 ? c - 0x30 : (c | 0x20) - 0x57)
  }
  return value
}

function writeCode(target: Buffer, at: number, code: number): number {
  let write = at
  if (code < 0x80) target[write++] = code
  else {
    if (code < 0x800) target[write++] = 0xc0 | (code >> 6)
    else {
      if (code < 0x10000) target[write++] = 0xe0 | (code >> 12)
      else {
        target[write++] = 0xf0 | (code >> 18)
        target[write++] = 0x80 | ((code >> 12) & 0x3f)
      }
      target[write++] = 0x80 | ((code >> 6) & 0x3f)
    }
    target[write++] = 0x80 | (code & 0x3f)
  }
  return write
}

/** Moves a checked document in `bytes[start, end)` together, without the white space between its values. Returns its end. */
export function compact(bytes: Buffer, start: number, end: number): number {
  let write = start
  let quoted = false
  for (let read = start; read < end; read++) {
    const c = bytes[read] as number
    if (!quoted && (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09)) continue
    bytes[write++] = c
    if (c === 0x22) quoted = !quoted
    else if (c === 0x5c) bytes[write++] = bytes[++read] as number
  }
  return write
}
