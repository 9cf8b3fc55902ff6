const decoder = new TextDecoder('utf-8')

/** The text of the JSON string whose quotes stand at `start` and `end - 1`. It must have been checked. */
export function readString(bytes: Uint8Array, start: number, end: number): string {
  for (let p = start + 1; p < end - 1; p++)
    if (bytes[p] === 0x5c) return JSON.parse(decode(bytes, start, end)) as string
  return decode(bytes, start + 1, end - 1)
}

/** The text of some bytes; what is not UTF-8 becomes U+FFFD. */
export function decode(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.isBuffer(bytes)
    ? bytes.toString('utf8', start, end)
    : decoder.decode(bytes.subarray(start, end))
}
