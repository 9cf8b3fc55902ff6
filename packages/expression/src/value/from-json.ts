import { compilePaths, readString } from '@mqb/json'
import { readNumber, readValue } from './read.ts'
import { RecordValue } from './record.ts'
import type { Value } from './value.ts'

/** Values nest no deeper where something looks inside them; what is only passed on may be deeper. */
export const maxNesting = 2000

/** A payload nests deeper than values do. */
export class NestingError extends RangeError {
  override readonly name: string = 'NestingError'

  constructor() {
    super(`the value nests more than ${maxNesting} levels deep`)
  }
}

const whole = compilePaths([''])

/**
 * The value of a JSON text, every digit kept.
 *
 * @throws {JsonSyntaxError} it is not JSON.
 */
export function fromJson(json: string | Uint8Array): Value {
  const bytes = typeof json === 'string' ? Buffer.from(json) : json
  const ranges = whole.createRanges()
  whole.find(bytes, 0, bytes.length, ranges)
  return readValue(bytes, ranges[0] as number, ranges[1] as number)
}

/** What a checked JSON object or array holds, one level for one level. */
export function parseStructure(bytes: Uint8Array): RecordValue | readonly Value[] {
  const cursor = { bytes, at: 0 }
  return bytes[0] === 0x7b ? parseObject(cursor, 1) : parseArray(cursor, 1)
}

interface Cursor {
  readonly bytes: Uint8Array
  at: number
}

function parseObject(cursor: Cursor, depth: number): RecordValue {
  const fields = new Map<string, Value>()
  cursor.at++
  while (next(cursor) !== 0x7d) {
    if (cursor.bytes[cursor.at] === 0x2c) {
      cursor.at++
      next(cursor)
    }
    const key = parseString(cursor)
    next(cursor)
    cursor.at++
    fields.set(key, parseValue(cursor, depth))
  }
  cursor.at++
  return new RecordValue([...fields.keys()], [...fields.values()])
}

function parseArray(cursor: Cursor, depth: number): readonly Value[] {
  const elements: Value[] = []
  cursor.at++
  while (next(cursor) !== 0x5d) {
    if (cursor.bytes[cursor.at] === 0x2c) cursor.at++
    elements.push(parseValue(cursor, depth))
  }
  cursor.at++
  return elements
}

function parseValue(cursor: Cursor, depth: number): Value {
  switch (next(cursor)) {
    case 0x22:
      return parseString(cursor)
    case 0x7b:
      if (depth >= maxNesting) throw new NestingError()
      return parseObject(cursor, depth + 1)
    case 0x5b:
      if (depth >= maxNesting) throw new NestingError()
      return parseArray(cursor, depth + 1)
    case 0x74:
      cursor.at += 4
      return true
    case 0x66:
      cursor.at += 5
      return false
    case 0x6e:
      cursor.at += 4
      return null
    default: {
      const start = cursor.at
      while (isNumberByte(cursor.bytes[cursor.at])) cursor.at++
      return readNumber(cursor.bytes, start, cursor.at)
    }
  }
}

function parseString(cursor: Cursor): string {
  const { bytes } = cursor
  const start = cursor.at++
  while (bytes[cursor.at] !== 0x22) cursor.at += bytes[cursor.at] === 0x5c ? 2 : 1
  cursor.at++
  return readString(bytes, start, cursor.at)
}

/** The next byte that is no white space. */
function next(cursor: Cursor): number | undefined {
  let c = cursor.bytes[cursor.at]
  while (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) c = cursor.bytes[++cursor.at]
  return c
}

const isNumberByte = (c: number | undefined): boolean =>
  c !== undefined &&
  ((c >= 0x30 && c <= 0x39) || c === 0x2d || c === 0x2e || c === 0x2b || (c | 0x20) === 0x65)
