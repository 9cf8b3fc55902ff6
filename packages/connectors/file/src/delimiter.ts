/** What ends a record. */
export interface Delimiter {
  readonly bytes: Buffer
  /** The only byte of a delimiter of one byte, else -1. */
  readonly byte: number
  /** A line feed: a carriage return in front of it belongs to it. */
  readonly isNewline: boolean
  /** The delimiter as text, for records that are JSON; absent where the bytes are not UTF-8. */
  readonly text: string | undefined
}

const carriageReturn = 13

/**
 * Reads the field `delimiter`: any text, or one byte as `0x1e`. `\n` typed as two characters is two characters.
 *
 * @throws {RangeError} for an empty text.
 */
export function parseDelimiter(text: string): Delimiter {
  if (text === '') throw new RangeError('a record delimiter needs at least one byte')
  const hex = /^0x([0-9a-f]{2})$/i.exec(text)
  const bytes = hex === null ? Buffer.from(text) : Buffer.from(hex[1] as string, 'hex')
  const decoded = bytes.toString()
  return {
    bytes,
    byte: bytes.length === 1 ? (bytes[0] as number) : -1,
    isNewline: bytes.length === 1 && bytes[0] === 10,
    text: Buffer.from(decoded).equals(bytes) ? decoded : undefined,
  }
}

/** Where the delimiter next begins in `window`, from `from` on; -1 when it does not. */
export function findDelimiter(window: Buffer, delimiter: Delimiter, from: number): number {
  return delimiter.byte >= 0 ? window.indexOf(delimiter.byte, from) : window.indexOf(delimiter.bytes, from)
}

/** Where the payload of a record ends whose delimiter begins at `at`. */
export function recordEnd(bytes: Buffer, delimiter: Delimiter, start: number, at: number): number {
  return delimiter.isNewline && at > start && bytes[at - 1] === carriageReturn ? at - 1 : at
}
