import { readString, readText } from '@mqb/json'
import { Decimal, maxSafe } from '../number/decimal.ts'
import { parseJsonNumber } from '../number/parse.ts'
import { NumberText, StructureText } from './source-text.ts'
import type { Value } from './value.ts'

/** The checked JSON value at `start` to `end`. Only what it is asked for is decoded; objects and arrays stay bytes. */
export function readValue(bytes: Uint8Array, start: number, end: number): Value {
  switch (bytes[start]) {
    case 0x22:
      return readString(bytes, start, end)
    case 0x7b:
    case 0x5b:
      // A copy, so that a value that is kept does not keep the slab.
      return new StructureText(Uint8Array.prototype.slice.call(bytes, start, end))
    case 0x74:
      return true
    case 0x66:
      return false
    case 0x6e:
      return null
    default:
      return readNumber(bytes, start, end)
  }
}

/** The checked JSON number at `start` to `end`. */
export function readNumber(bytes: Uint8Array, start: number, end: number): number | Decimal | NumberText {
  const negative = bytes[start] === 0x2d
  const first = negative ? start + 1 : start
  // 15 digits and a point are exact in a double.
  if (end - first > 16) return readLongNumber(bytes, start, end)
  let mantissa = 0
  let point = -1
  for (let at = first; at < end; at++) {
    const digit = (bytes[at] as number) - 0x30
    if (digit >= 0 && digit <= 9) mantissa = mantissa * 10 + digit
    else if (digit === -2) point = at
    else return new NumberText(readText(bytes, start, end))
  }
  if (mantissa > maxSafe) return readLongNumber(bytes, start, end)
  if (point >= 0) {
    if (bytes[end - 1] === 0x30) return new NumberText(readText(bytes, start, end))
    return new Decimal(negative ? -mantissa : mantissa, end - 1 - point)
  }
  if (!negative) return mantissa
  return mantissa === 0 ? new NumberText('-0') : -mantissa
}

function readLongNumber(bytes: Uint8Array, start: number, end: number): number | Decimal | NumberText {
  const text = readText(bytes, start, end)
  // Only what is written as its value would be can do without its text.
  if (text.length > 31 || /[eE]/.test(text) || /\.\d*0$/.test(text)) return new NumberText(text)
  const kept = new NumberText(text)
  try {
    const number = parseJsonNumber(text)
    return String(number) === text ? number : kept
  } catch {
    return kept
  }
}
