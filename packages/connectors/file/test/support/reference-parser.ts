import { uniqueNames } from '../../src/csv/columns.ts'

/** Lines of a whole text at once, the plain way. */
export function referenceLines(bytes: Buffer, delimiter: string): string[] {
  let text = bytes.toString('latin1')
  if (text.startsWith('\xef\xbb\xbf')) text = text.slice(3)
  if (text === '') return []
  const parts = text.split(Buffer.from(delimiter).toString('latin1'))
  const last = parts.pop() as string
  const lines = delimiter === '\n' ? parts.map(part => part.replace(/\r$/, '')) : parts
  return last === '' ? lines : [...lines, last]
}

export interface ReferenceDialect {
  readonly separator: string
  /** Empty for none. */
  readonly quote: string
  readonly delimiter: string
  readonly header: boolean
  readonly columns?: readonly string[] | undefined
}

/** Rows of a whole CSV text at once, character by character. `undefined` for a quote that never closes. */
export function referenceRows(
  bytes: Buffer,
  dialect: ReferenceDialect,
): Record<string, string>[] | undefined {
  let text = bytes.toString('latin1')
  if (text.startsWith('\xef\xbb\xbf')) text = text.slice(3)
  const { separator, quote } = dialect
  const delimiter = Buffer.from(dialect.delimiter).toString('latin1')
  const rows: string[][] = []
  let at = 0
  while (at < text.length) {
    const row: string[] = []
    let isBlank = true
    for (;;) {
      let field = ''
      if (quote !== '' && text[at] === quote) {
        isBlank = false
        at++
        for (;;) {
          const close = text.indexOf(quote, at)
          if (close < 0) return undefined
          field += text.slice(at, close)
          at = close + 1
          if (text[at] !== quote) break
          field += quote
          at++
        }
      }
      const from = at
      while (at < text.length && text[at] !== separator && !text.startsWith(delimiter, at)) at++
      const ends = at >= text.length || text.startsWith(delimiter, at)
      let bare = text.slice(from, at)
      if (ends && at < text.length && delimiter === '\n' && bare.endsWith('\r')) bare = bare.slice(0, -1)
      field += bare
      if (field !== '') isBlank = false
      row.push(field)
      if (!ends) {
        at++
        continue
      }
      at += delimiter.length
      break
    }
    if (!(isBlank && row.length === 1)) rows.push(row)
  }
  const header = dialect.header ? rows.shift() : undefined
  const names =
    dialect.columns ?? uniqueNames((header ?? []).map(name => Buffer.from(name, 'latin1').toString()))
  return rows.map(row =>
    Object.fromEntries(
      names.map((name, index) => [name, Buffer.from(row[index] ?? '', 'latin1').toString()]),
    ),
  )
}
