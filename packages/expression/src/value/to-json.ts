import { formatDate, isDate } from '../dates/date-value.ts'
import { Decimal, formatDecimal, type Num, toDouble, trimmed } from '../number/decimal.ts'
import { maxNesting, NestingError } from './from-json.ts'
import { Interval } from './interval.ts'
import { RecordValue } from './record.ts'
import { NumberText, StructureText } from './source-text.ts'
import type { Value } from './value.ts'

/**
 * How fractions are written. `exact`: every digit. `shortest`: the shortest text that reads back as the same double.
 * Whole numbers are always written with every digit, and a number that was only passed on as it stood, under `exact`.
 */
export type Fractions = 'exact' | 'shortest'

/**
 * A value as JSON text.
 *
 * @throws {NestingError}
 */
export function toJson(value: Value, fractions: Fractions = 'exact'): string {
  return write(value, fractions, 0)
}

function write(value: Value, fractions: Fractions, depth: number): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
    case 'boolean':
      return String(value)
  }
  if (value === null) return 'null'
  if (value instanceof RecordValue) return writeRecord(value, fractions, depth)
  if (value instanceof Decimal) return writeNumber(value, fractions)
  if (value instanceof NumberText) return fractions === 'exact' ? value.text : shortened(value)
  if (value instanceof StructureText) {
    if (fractions === 'exact') return Buffer.from(onOneLine(value.bytes)).toString('utf8')
    return write(value.structure as Value, fractions, depth)
  }
  if (value instanceof Interval) return JSON.stringify(value.toString())
  if (isDate(value)) return JSON.stringify(formatDate(value))
  return writeArray(value, fractions, depth)
}

function writeRecord(record: RecordValue, fractions: Fractions, depth: number): string {
  if (depth >= maxNesting) throw new NestingError()
  let text = '{'
  for (let at = 0; at < record.keys.length; at++) {
    if (at > 0) text += ','
    text += `${JSON.stringify(record.keys[at])}:${write(record.values[at] as Value, fractions, depth + 1)}`
  }
  return `${text}}`
}

function writeArray(elements: readonly Value[], fractions: Fractions, depth: number): string {
  if (depth >= maxNesting) throw new NestingError()
  let text = '['
  for (let at = 0; at < elements.length; at++) {
    if (at > 0) text += ','
    text += write(elements[at] as Value, fractions, depth + 1)
  }
  return `${text}]`
}

function writeNumber(value: Num, fractions: Fractions): string {
  const short = trimmed(value)
  if (typeof short === 'number' || short.scale === 0 || fractions === 'exact') return formatDecimal(short)
  return String(toDouble(short))
}

/** A number beyond all doubles keeps its text: JSON has no word for infinity. */
function shortened(value: NumberText): string {
  const double = Number(value.text)
  if (!Number.isFinite(double)) return value.text
  try {
    return writeNumber(value.number, 'shortest')
  } catch {
    return String(double)
  }
}

/** Results go into formats with one message a line, so white space is left out where it has line ends in it. */
function onOneLine(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(0x0a) && !bytes.includes(0x0d)) return bytes
  const out = new Uint8Array(bytes.length)
  let length = 0
  let inString = false
  for (let at = 0; at < bytes.length; at++) {
    const c = bytes[at] as number
    if (c === 0x22) inString = !inString
    if (!inString && c <= 0x20) continue
    out[length++] = c
    if (inString && c === 0x5c) out[length++] = bytes[++at] as number
  }
  return out.subarray(0, length)
}
