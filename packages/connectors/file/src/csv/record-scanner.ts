import { type Delimiter, findDelimiter } from '../delimiter.ts'
import type { CsvDialect } from './dialect.ts'

type State = 'field-start' | 'bare' | 'quoted' | 'after-quote'

/**
 * Finds where a CSV record ends without reading its fields, and goes on where it stopped when more bytes come. It
 * follows the same rules as the row reader: a quote opens a section only at the start of a field, a doubled quote is
 * one quote, and in a quoted section separators and delimiters are text.
 */
export class RecordScanner {
  readonly #delimiter: Delimiter
  #separators: readonly number[]
  readonly #quote: number
  #state: State = 'field-start'

  /** @param separators more than one while the separator of the file is not known yet. */
  constructor(delimiter: Delimiter, dialect: CsvDialect, separators: readonly number[]) {
    this.#delimiter = delimiter
    this.#separators = separators
    this.#quote = dialect.quote
  }

  setSeparators(separators: readonly number[]): void {
    this.#separators = separators
  }

  /** The next byte is the first one of a record. */
  reset(): void {
    this.#state = 'field-start'
  }

  /** A quoted section is open at the byte where the last scan stopped. */
  get isQuoted(): boolean {
    return this.#state === 'quoted'
  }

  /** Where `scan` is to go on: at most a delimiter's length before the end of what it saw. */
  resumeAt = 0

  /**
   * @param from first byte that was not seen yet, as `resumeAt` says.
   * @param isLast no more bytes come: `isQuoted` is then about the end of the window.
   * @returns where the delimiter that ends the record begins, or -1 when more bytes are needed.
   */
  scan(window: Buffer, from: number, isLast = false): number {
    // The last bytes may be the beginning of a delimiter, unless nothing follows them.
    const overlap = isLast ? 0 : this.#delimiter.bytes.length - 1
    let at = from
    for (;;) {
      if (this.#state === 'quoted') {
        const close = window.indexOf(this.#quote, at)
        if (close < 0) return this.#stop(window.length)
        this.#state = 'after-quote'
        at = close + 1
      }
      if (this.#state === 'after-quote') {
        if (at >= window.length) return this.#stop(at)
        if (window[at] === this.#quote) {
          this.#state = 'quoted'
          at++
          continue
        }
        this.#state = 'bare'
      }
      const delimiterAt = findDelimiter(window, this.#delimiter, at)
      const limit = delimiterAt < 0 ? Math.max(at, window.length - overlap) : delimiterAt
      const open = this.#findOpeningQuote(window, at, limit)
      if (open < 0) {
        if (delimiterAt >= 0) return delimiterAt
        return this.#stop(limit)
      }
      this.#state = 'quoted'
      at = open + 1
    }
  }

  #stop(at: number): -1 {
    this.resumeAt = at
    return -1
  }

  /** The next quote at the start of a field before `limit`, -1 for none; the state then is that at `limit`. */
  #findOpeningQuote(window: Buffer, from: number, limit: number): number {
    let at = from
    while (this.#quote >= 0) {
      if (at >= limit) break
      if (this.#state === 'field-start' && window[at] === this.#quote) return at
      const next = window.indexOf(this.#quote, at)
      if (next < 0 || next >= limit) break
      // Only what stands before the quote says whether a field begins there.
      const startsField =
        next === at ? this.#state === 'field-start' : this.#separators.includes(window[next - 1] as number)
      if (startsField) return next
      at = next + 1
      this.#state = 'bare'
    }
    if (limit > at) {
      this.#state = this.#separators.includes(window[limit - 1] as number) ? 'field-start' : 'bare'
    }
    return -1
  }
}

/** How many of each separator stand outside quotes in a record. */
export function countSeparators(
  bytes: Buffer,
  start: number,
  end: number,
  dialect: CsvDialect,
  separators: readonly number[],
): number[] {
  const counts = separators.map(() => 0)
  let fieldStart = true
  let at = start
  while (at < end) {
    const byte = bytes[at] as number
    if (fieldStart && byte === dialect.quote) {
      at = quotedEnd(bytes, at + 1, end, dialect.quote)
      fieldStart = false
      continue
    }
    const index = separators.indexOf(byte)
    if (index >= 0) counts[index] = (counts[index] as number) + 1
    fieldStart = index >= 0
    at++
  }
  return counts
}

/** One past the quote that closes a section; `end` when none does. */
function quotedEnd(bytes: Buffer, start: number, end: number, quote: number): number {
  let at = start
  for (;;) {
    const close = bytes.indexOf(quote, at)
    if (close < 0 || close >= end) return end
    if (bytes[close + 1] !== quote || close + 1 >= end) return close + 1
    at = close + 2
  }
}
