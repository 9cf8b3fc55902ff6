const longest = 60

/** A value for an error text, as it is written, short. */
export function shown(bytes: Buffer, start: number, end: number): string {
  if (end - start <= longest) return bytes.toString('utf8', start, end)
  return `${bytes.toString('utf8', start, start + longest).replace(/\uFFFD$/, '')}…`
}
