import { JsonSyntaxError } from './error.ts'

/** Deeper nesting is refused, so that a hostile document costs no stack and little memory. */
export const maxDepth = 20_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openObject = 0x7b
const closeObject = 0x7d
const openArray = 0x5b
const closeArray = 0x5d

// Which containers are open around the value that is being skipped: 1 for an object, 0 for an array.
const containers = new Uint8Array(maxDepth)

// 1 for the bytes that stand for themselves inside a string: one look-up instead of three comparisons.
export const plain: Uint8Array = new Uint8Array(256).fill(1, 0x20)
plain[quote] = 0
plain[backslash] = 0

/** The first byte at or after `at` that is no JSON white space. */
export function skipSpace(bytes: Uint8Array, at: number, end: number): number {
  let p = at
  while (p < end) {
    const c = bytes[p] as number
    if (c > 0x20 || (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09)) return p
    p++
  }
  return p
}

/**
 * Checks the string that begins with the quote at `at`, and returns one past its closing quote.
 * UTF-8 is not checked: `JSON.parse` sees replacement characters there, and accepts them.
 */
export function skipString(bytes: Uint8Array, at: number, end: number, start: number): number {
  let p = at + 1
  for (;;) {
    // A string that is not closed may run into a quote behind the document.
    while (plain[bytes[p] as number] === 1) p++
    if (p >= end) throw new JsonSyntaxError('a string is not closed', at - start)
    const c = bytes[p] as number
    if (c === quote) return p + 1
    if (c !== backslash)
      throw new JsonSyntaxError('a control character in a string must be escaped', p - start)
    p = skipEscape(bytes, p, end, start)
  }
}

/** Escapes seen so far in this process: a key without one can be compared byte by byte. */
export let escapesSeen = 0

function skipEscape(bytes: Uint8Array, at: number, end: number, start: number): number {
  if (at + 1 >= end) throw new JsonSyntaxError('a string is not closed', at - start)
  escapesSeen = (escapesSeen + 1) | 0
  const c = bytes[at + 1] as number
  switch (c) {
    case quote:
    case backslash:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return at + 2
    case 0x75:
      for (let digit = at + 2; digit < at + 6; digit++)
        if (digit >= end || !isHex(bytes[digit] as number))
          throw new JsonSyntaxError('\\u needs four hexadecimal digits', at - start)
      return at + 6
    default:
      throw new JsonSyntaxError('an unknown escape', at - start)
  }
}

function isHex(c: number): boolean {
  return (c >= 0x30 && c <= 0x39) || (c >= 0x41 && c <= 0x46) || (c >= 0x61 && c <= 0x66)
}

const isDigit = (c: number | undefined): boolean => c !== undefined && c >= 0x30 && c <= 0x39

/** Checks the number that begins at `at`, and returns one past its last byte. */
export function skipNumber(bytes: Uint8Array, at: number, end: number, start: number): number {
  let p = at
  if (bytes[p] === 0x2d) p++
  if (p >= end || !isDigit(bytes[p])) throw new JsonSyntaxError('a digit is expected', p - start)
  if (bytes[p] === 0x30) {
    p++
    if (p < end && isDigit(bytes[p])) throw new JsonSyntaxError('a number can not begin with 0', p - start)
  } else while (p < end && isDigit(bytes[p])) p++
  if (p < end && bytes[p] === 0x2e) {
    p++
    if (p >= end || !isDigit(bytes[p]))
      throw new JsonSyntaxError('a digit is expected after the point', p - start)
    while (p < end && isDigit(bytes[p])) p++
  }
  if (p < end && ((bytes[p] as number) | 0x20) === 0x65) {
    p++
    if (p < end && (bytes[p] === 0x2b || bytes[p] === 0x2d)) p++
    if (p >= end || !isDigit(bytes[p]))
      throw new JsonSyntaxError('a digit is expected in the exponent', p - start)
    while (p < end && isDigit(bytes[p])) p++
  }
  return p
}

/** Checks `true`, `false` or `null` at `at`, and returns one past it. Anything else is no value. */
export function skipLiteral(bytes: Uint8Array, at: number, end: number, start: number): number {
  switch (bytes[at]) {
    case 0x74:
      if (at + 4 <= end && bytes[at + 1] === 0x72 && bytes[at + 2] === 0x75 && bytes[at + 3] === 0x65)
        return at + 4
      break
    case 0x66:
      if (
        at + 5 <= end &&
        bytes[at + 1] === 0x61 &&
        bytes[at + 2] === 0x6c &&
        bytes[at + 3] === 0x73 &&
        bytes[at + 4] === 0x65
      )
        return at + 5
      break
    case 0x6e:
      if (at + 4 <= end && bytes[at + 1] === 0x75 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x6c)
        return at + 4
      break
  }
  throw new JsonSyntaxError('a value is expected', at - start)
}

/** One past the colon and the space behind the key that ends before `at`. */
export function skipColon(bytes: Uint8Array, at: number, end: number, start: number): number {
  const p = bytes[at] === colon && at < end ? at : skipSpace(bytes, at, end)
  if (p >= end || bytes[p] !== colon) throw new JsonSyntaxError('a : is expected after the key', p - start)
  return skipSpace(bytes, p + 1, end)
}

/** The opening quote of the key at or after `at`. */
export function expectKey(bytes: Uint8Array, at: number, end: number, start: number): number {
  const p = skipSpace(bytes, at, end)
  if (p >= end || bytes[p] !== quote) throw new JsonSyntaxError('a key in quotes is expected', p - start)
  return p
}

/** Where the value begins that belongs to the key at or after `at`. Takes the usual, `"key":value`, in one go. */
function skipKey(bytes: Uint8Array, at: number, end: number, start: number): number {
  if (at < end && bytes[at] === quote) {
    let p = at + 1
    while (plain[bytes[p] as number] === 1) p++
    if (p + 2 < end && bytes[p] === quote && bytes[p + 1] === colon && (bytes[p + 2] as number) > 0x20)
      return p + 2
  }
  return skipColon(bytes, skipString(bytes, expectKey(bytes, at, end, start), end, start), end, start)
}

/**
 * Checks the value that begins at `at`, whatever it is, and returns one past its last byte. Does not recurse.
 *
 * @param start where the document begins; offsets in errors count from there.
 * @param depth how many containers are open around it already.
 */
export function skipValue(bytes: Uint8Array, at: number, end: number, start: number, depth: number): number {
  const base = depth
  let open = depth
  let p = at
  for (;;) {
    // A value begins here.
    if (p >= end) throw new JsonSyntaxError('the document ends where a value is expected', p - start)
    const c = bytes[p] as number
    if (c === quote) {
      const opening = p++
      while (plain[bytes[p] as number] === 1) p++
      if (p < end && bytes[p] === quote) p++
      else p = skipString(bytes, opening, end, start)
    } else if (c === openObject || c === openArray) {
      if (open >= maxDepth) throw new JsonSyntaxError(`nested more than ${maxDepth} levels deep`, p - start)
      containers[open++] = c === openObject ? 1 : 0
      p = skipSpace(bytes, p + 1, end)
      if (p < end && bytes[p] === (c === openObject ? closeObject : closeArray)) {
        open--
        p++
      } else {
        if (c === openObject) p = skipKey(bytes, p, end, start)
        continue
      }
    } else if ((c >= 0x30 && c <= 0x39) || c === 0x2d) p = skipNumber(bytes, p, end, start)
    else p = skipLiteral(bytes, p, end, start)

    // A value has ended: close containers as long as they end too.
    for (;;) {
      if (open === base) return p
      if (p >= end || (bytes[p] as number) <= 0x20) p = skipSpace(bytes, p, end)
      const inObject = containers[open - 1] === 1
      const next = p < end ? bytes[p] : undefined
      if (next === comma) {
        p++
        if (inObject) p = skipKey(bytes, p, end, start)
        else p = skipSpace(bytes, p, end)
        break
      }
      if (next !== (inObject ? closeObject : closeArray))
        throw new JsonSyntaxError(inObject ? 'a , or } is expected' : 'a , or ] is expected', p - start)
      open--
      p++
    }
  }
}
