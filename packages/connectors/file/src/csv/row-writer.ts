import type { Message } from '@mqb/core'
import type { Delimiter } from '../delimiter.ts'
import { fileError } from '../errors.ts'
import { jsonMembers } from '../json-text.ts'
import type { CsvDialect } from './dialect.ts'

export interface RowRules {
  readonly dialect: CsvDialect
  readonly delimiter: Delimiter
  readonly nested: 'flatten' | 'json'
  readonly onMismatch: 'warn' | 'fail'
}

/** A cell before quoting, by column. */
export type Cells = ReadonlyMap<string, string>

/**
 * The cells of a payload, in its field order.
 *
 * @throws {MqbError} for a payload that is no JSON object with something in it, and for text that no encoding has.
 */
export function readCells(message: Message, nested: 'flatten' | 'json'): Cells {
  const text = message.text()
  const cells = new Map<string, string>()
  addMembers(cells, '', parseObject(text), nested)
  return cells
}

function parseObject(text: string): string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw fileError({ code: 'MQB_FILE_NOT_JSON', what: 'the payload is not JSON', cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    throw fileError({ code: 'MQB_FILE_NOT_JSON', what: 'the payload is no JSON object with fields' })
  return text
}

function addMembers(
  cells: Map<string, string>,
  prefix: string,
  text: string,
  nested: 'flatten' | 'json',
): void {
  for (const { key, value } of jsonMembers(text) ?? []) {
    const column = prefix + key
    if (nested === 'flatten' && value[0] === '{' && !/^\{\s*\}$/.test(value))
      addMembers(cells, `${column}.`, value, nested)
    else cells.set(column, cellText(column, value))
  }
}

/** Strings without quotes and escapes; everything else, `null` too, as its JSON text with every digit. */
function cellText(column: string, value: string): string {
  if (value[0] !== '"') return value
  const text = JSON.parse(value) as string
  if (isWellFormed(text)) return text
  throw fileError({
    code: 'MQB_FILE_CELL',
    what: `the field ${JSON.stringify(column)} holds half a surrogate pair`,
  })
}

function isWellFormed(text: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text)
}

/** One record, without delimiter. */
export function formatRow(values: readonly string[], { dialect, delimiter }: RowRules): string {
  const separator = String.fromCharCode(dialect.separator)
  // A lone empty cell would read as a blank line, and a blank line as no row.
  if (values.length === 1 && values[0] === '') return quoted('', dialect)
  return values
    .map(value => (needsQuotes(value, separator, dialect, delimiter) ? quoted(value, dialect) : value))
    .join(separator)
}

function needsQuotes(value: string, separator: string, dialect: CsvDialect, delimiter: Delimiter): boolean {
  if (value.includes(separator) || value.includes('\n') || value.includes('\r')) return true
  if (dialect.quote >= 0 && value.includes(String.fromCharCode(dialect.quote))) return true
  if (value.charCodeAt(0) === 0xfeff) return true
  // A delimiter of several characters may also come about where the cell meets what follows it.
  return delimiter.text !== undefined && [...delimiter.text].some(char => value.includes(char))
}

function quoted(value: string, dialect: CsvDialect): string {
  if (dialect.quote < 0)
    throw fileError({
      code: 'MQB_FILE_CELL',
      what: `the value ${JSON.stringify(value.slice(0, 40))} needs quotes, and the dialect has none`,
    })
  const quote = String.fromCharCode(dialect.quote)
  return quote + value.replaceAll(quote, quote + quote) + quote
}
