import type { Delimiter } from '../delimiter.ts'

/** How rows of a CSV file are written. */
export interface CsvDialect {
  /** One ASCII byte; -1 until it is found in the first record (`separator: auto`). */
  readonly separator: number
  /** One ASCII byte; -1 for `none`. */
  readonly quote: number
  readonly header: boolean
  readonly columns: readonly string[] | undefined
}

/** The block `csv` as it stands in the configuration. */
export interface CsvFields {
  readonly separator: string
  readonly quote: string
  readonly header: boolean
  readonly columns?: readonly string[] | undefined
}

const separatorNames: Readonly<Record<string, string>> = {
  tab: '\t',
  '\\t': '\t',
  space: ' ',
  comma: ',',
  semicolon: ';',
  pipe: '|',
}

/** What is wrong with a dialect, and what to type instead. */
export interface DialectProblem {
  readonly field: 'separator' | 'quote' | 'columns' | 'delimiter'
  readonly what: string
  readonly mend: string
}

/** Candidates of `separator: auto`; the first of equally frequent ones wins. */
export const autoSeparators: readonly number[] = [0x2c, 0x3b, 0x09, 0x7c]

/** Byte of a `separator`, -1 for `auto`, `undefined` for a text that names none. */
function separatorByte(text: string): number | undefined {
  if (text === 'auto') return -1
  const byte = oneByte(separatorNames[text] ?? text)
  return byte === 10 || byte === 13 ? undefined : byte
}

function quoteByte(text: string): number | undefined {
  if (text === 'none') return -1
  const byte = oneByte(text)
  return byte === 10 || byte === 13 ? undefined : byte
}

function oneByte(text: string): number | undefined {
  const hex = /^0x([0-9a-f]{2})$/i.exec(text)
  const code =
    hex === null ? (text.length === 1 ? text.charCodeAt(0) : -1) : Number.parseInt(hex[1] as string, 16)
  return code >= 0 && code < 0x80 ? code : undefined
}

/** All problems of a dialect that do not depend on the side. */
export function checkDialect(fields: CsvFields, delimiter: Delimiter): DialectProblem[] {
  const problems: DialectProblem[] = []
  const separator = separatorByte(fields.separator)
  const quote = quoteByte(fields.quote)
  if (separator === undefined)
    problems.push({
      field: 'separator',
      what: `${JSON.stringify(fields.separator)} is not one ASCII character`,
      mend: 'write one character, tab, space, comma, semicolon, pipe, a hex byte such as 0x1f, or auto (inputs)',
    })
  if (quote === undefined)
    problems.push({
      field: 'quote',
      what: `${JSON.stringify(fields.quote)} is not one ASCII character`,
      mend: 'write one character, or none for files without quoting',
    })
  if (quote !== undefined && quote >= 0 && quote === separator)
    problems.push({
      field: 'quote',
      what: 'separator and quote are the same character',
      mend: 'give the quote another character, or none',
    })
  for (const [field, byte] of [
    ['separator', separator],
    ['quote', quote],
  ] as const)
    if (byte !== undefined && byte >= 0 && delimiter.bytes.includes(byte))
      problems.push({
        field: 'delimiter',
        what: `the record delimiter contains the ${field}`,
        mend: `choose a delimiter without it, or another ${field}`,
      })
  const repeated = fields.columns?.find((name, index) => fields.columns?.indexOf(name) !== index)
  if (repeated !== undefined)
    problems.push({
      field: 'columns',
      what: `the column ${JSON.stringify(repeated)} is listed twice`,
      mend: 'give every column a name of its own',
    })
  return problems
}

/** The dialect of fields that `checkDialect` accepts. */
export function resolveDialect(fields: CsvFields): CsvDialect {
  return {
    separator: separatorByte(fields.separator) ?? 0x2c,
    quote: quoteByte(fields.quote) ?? 0x22,
    header: fields.header,
    columns: fields.columns,
  }
}
