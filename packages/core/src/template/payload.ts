import { compilePaths, kindAt, type PathProgram, type Ranges, readText } from '@mqb/json'
import type { Message } from '../message/message.ts'

interface Reader {
  readonly program: PathProgram
  readonly ranges: Ranges
}

/** Reads one payload path as text. Made once per token. */
export type PayloadReader = (message: Message) => string | undefined

/**
 * A reader for a dotted path: a string without its quotes, anything else as it stands in the payload, every digit kept.
 * `undefined` for an absent or null field, and for a payload that is not JSON.
 *
 * @throws {SyntaxError} the path cannot be read.
 */
export function createPayloadReader(path: string): PayloadReader {
  const program = compilePaths([path])
  const reader: Reader = { program, ranges: program.createRanges() }
  return message => readPayload(reader, message)
}

function readPayload({ program, ranges }: Reader, message: Message): string | undefined {
  try {
    program.find(message.bytes, message.start, message.end, ranges)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  const start = ranges[0] as number
  if (start < 0 || kindAt(message.bytes, start) === 'null') return undefined
  return readText(message.bytes, start, ranges[1] as number)
}
