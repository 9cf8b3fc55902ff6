import type { CsvDialect } from './dialect.ts'

/** The fields of the record `start` to `end` as text: for headers, and for judging a torn row. */
export function readFields(bytes: Buffer, start: number, end: number, dialect: CsvDialect): string[] {
  const quote = dialect.quote < 0 ? '' : String.fromCharCode(dialect.quote)
  const indexOf = (byte: number, from: number): number => {
    const found = bytes.indexOf(byte, from)
    return found < 0 || found > end ? end : found
  }
  const fields: string[] = []
  let pos = start
  for (;;) {
    let text = ''
    let quoted = quote !== '' && pos < end && bytes[pos] === dialect.quote
    while (quoted) {
      const close = indexOf(dialect.quote, pos + 1)
      text += bytes.toString('utf8', pos + 1, close)
      pos = Math.min(close + 1, end)
      quoted = pos < end && bytes[pos] === dialect.quote
      if (quoted) text += quote
    }
    const close = indexOf(dialect.separator, pos)
    text += bytes.toString('utf8', pos, close)
    fields.push(text)
    if (close === end) return fields
    pos = close + 1
  }
}
