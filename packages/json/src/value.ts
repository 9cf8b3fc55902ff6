import { decode, readString } from './string.ts'

export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array'

/** What begins at `start`. The value must have been checked. */
export function kindAt(bytes: Uint8Array, start: number): JsonKind {
  switch (bytes[start]) {
    case 0x22:
      return 'string'
    case 0x7b:
      return 'object'
    case 0x5b:
      return 'array'
    case 0x74:
    case 0x66:
      return 'boolean'
    case 0x6e:
      return 'null'
    default:
      return 'number'
  }
}

/**
 * A value as text for keys, paths and templates: a string without its quotes and escapes, anything else as it is
 * written, so that numbers keep every digit.
 */
export function readText(bytes: Uint8Array, start: number, end: number): string {
  return bytes[start] === 0x22 ? readString(bytes, start, end) : decode(bytes, start, end)
}
