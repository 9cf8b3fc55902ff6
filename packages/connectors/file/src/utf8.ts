import { isUtf8 } from 'node:buffer'

/** The first byte between `start` and `end` that is not part of UTF-8 text; -1 when all of it is. */
export function firstInvalidUtf8(bytes: Buffer, start: number, end: number): number {
  if (isUtf8(bytes.subarray(start, end))) return -1
  let pos = start
  while (pos < end) {
    const length = sequenceLength(bytes[pos] as number)
    if (length === 0 || pos + length > end) return pos
    if (length > 1 && !isUtf8(bytes.subarray(pos, pos + length))) return pos
    pos += length
  }
  return -1
}

function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1
  if (lead >= 0xc2 && lead < 0xe0) return 2
  if (lead >= 0xe0 && lead < 0xf0) return 3
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0
}
