import { type Delimiter, findDelimiter } from '../delimiter.ts'
import type { CsvDialect } from './dialect.ts'

const slabBytes = 524_288
const lineFeed = 10
const carriageReturn = 13
const doubleQuote = 0x22
const backslash = 0x5c

// What a byte of a bare field is to the loop that copies it.
const plain = 0
const special = 1

/** What JSON writes for each control character. */
const escapes: readonly Buffer[] = Array.from({ length: 32 }, (_, code) =>
  Buffer.from(JSON.stringify(String.fromCharCode(code)).slice(1, -1)),
)

/**
 * Turns CSV records into the text of JSON objects, byte by byte and without a string or an object in between. Bytes
 * that are not UTF-8 go through as they are. Rows stand one after the other in an output slab with a line feed behind
 * each, so that a publisher of lines can write them in one piece.
 */
export class RowReader {
  /** The slab that holds the row read last. */
  out: Buffer = Buffer.alloc(0)
  /** The row read last: `rowStart` to `rowEnd`. */
  rowStart = 0
  rowEnd = 0
  /** Fields of the row read last. */
  fieldCount = 0
  readonly #delimiter: Delimiter
  readonly #quote: number
  readonly #separator: number
  readonly #kinds: Uint8Array
  // `{"id":"`, `","name":"` … and what closes a row.
  readonly #openings: readonly Buffer[]
  readonly #fixedBytes: number
  #used = 0

  constructor(dialect: CsvDialect, delimiter: Delimiter, columns: readonly string[]) {
    this.#delimiter = delimiter
    this.#quote = dialect.quote
    this.#separator = dialect.separator
    this.#openings = columns.map((name, index) =>
      Buffer.from(`${index === 0 ? '{' : '",'}${JSON.stringify(name)}:"`),
    )
    this.#fixedBytes = this.#openings.reduce((sum, opening) => sum + opening.length, 0) + 16
    const kinds = new Uint8Array(256)
    kinds.fill(special, 0, 32)
    kinds[doubleQuote] = special
    kinds[backslash] = special
    kinds[dialect.separator] = special
    kinds[delimiter.bytes[0] as number] = special
    this.#kinds = kinds
  }

  get columnCount(): number {
    return this.#openings.length
  }

  /**
   * Reads the record that begins at `start`.
   *
   * @param isLast nothing comes behind the window: its end ends the record.
   * @returns where its delimiter begins, or -1 when the window does not hold the whole record.
   */
  read(window: Buffer, start: number, isLast: boolean): number {
    let lineEnd = this.#findEnd(window, start, isLast)
    if (lineEnd < 0) return -1
    this.rowStart = this.#used
    let at = this.#reserve(this.#used, lineEnd - start + this.#fixedBytes)
    let pos = start
    let field = 0
    for (;;) {
      const fieldStart = at
      if (field < this.#openings.length) at = this.#open(at, field)
      if (pos < lineEnd && window[pos] === this.#quote) {
        for (;;) {
          const close = window.indexOf(this.#quote, pos + 1)
          if (close < 0) return this.#giveUp()
          if (close > lineEnd) {
            // The section runs over a delimiter: the record ends later.
            lineEnd = this.#findEnd(window, close, isLast)
            if (lineEnd < 0) return this.#giveUp()
            at = this.#reserve(at, lineEnd - pos + this.#fixedBytes)
          }
          at = this.#copyQuoted(window, pos + 1, close, at)
          pos = close + 1
          if (pos >= lineEnd || window[pos] !== this.#quote) break
          at = this.#escaped(this.#quote, at)
        }
      }
      const contentEnd = this.#contentEnd(window, pos, lineEnd)
      pos = this.#copyBare(window, pos, contentEnd, at)
      at = this.#used
      field++
      if (field > this.#openings.length) at = fieldStart
      if (pos >= contentEnd) break
      pos++
    }
    this.fieldCount = field
    for (; field < this.#openings.length; field++) at = this.#open(at, field)
    this.#close(at)
    return lineEnd
  }

  /** The record is not whole: its row so far is overwritten by the next one. */
  #giveUp(): -1 {
    this.#used = this.rowStart
    return -1
  }

  #findEnd(window: Buffer, from: number, isLast: boolean): number {
    const found = findDelimiter(window, this.#delimiter, from)
    return found < 0 && isLast ? window.length : found
  }

  /** Without the carriage return in front of a line feed. */
  #contentEnd(window: Buffer, pos: number, lineEnd: number): number {
    return this.#delimiter.isNewline &&
      lineEnd > pos &&
      lineEnd < window.length &&
      window[lineEnd - 1] === carriageReturn
      ? lineEnd - 1
      : lineEnd
  }

  /** Makes room for a record of that many bytes at its worst: six bytes for each. The row so far moves along. */
  #reserve(at: number, recordBytes: number): number {
    const needed = recordBytes * 6
    if (this.out.length - at >= needed) return at
    const begun = at - this.rowStart
    const larger = Buffer.allocUnsafeSlow(Math.max(slabBytes, begun + needed))
    this.out.copy(larger, 0, this.rowStart, at)
    this.out = larger
    this.rowStart = 0
    return begun
  }

  #open(at: number, field: number): number {
    const opening = this.#openings[field] as Buffer
    const { out } = this
    for (let index = 0; index < opening.length; index++) out[at++] = opening[index] as number
    return at
  }

  #close(at: number): void {
    const { out } = this
    out[at++] = doubleQuote
    out[at++] = 0x7d
    this.rowEnd = at
    out[at++] = lineFeed
    this.#used = at
  }

  /** Copies up to the separator or `end`; returns where it stopped. The place in `out` is left in `#used`. */
  #copyBare(window: Buffer, start: number, end: number, at: number): number {
    const { out } = this
    const kinds = this.#kinds
    const separator = this.#separator
    let pos = start
    while (pos < end) {
      const byte = window[pos] as number
      if (kinds[byte] === plain) out[at++] = byte
      else if (byte === separator) break
      else at = this.#escaped(byte, at)
      pos++
    }
    this.#used = at
    return pos
  }

  #copyQuoted(window: Buffer, start: number, end: number, at: number): number {
    const { out } = this
    for (let pos = start; pos < end; pos++) {
      const byte = window[pos] as number
      if (byte < 32 || byte === doubleQuote || byte === backslash) at = this.#escaped(byte, at)
      else out[at++] = byte
    }
    return at
  }

  #escaped(byte: number, at: number): number {
    const { out } = this
    if (byte === doubleQuote || byte === backslash) {
      out[at++] = backslash
      out[at++] = byte
      return at
    }
    if (byte >= 32) {
      out[at++] = byte
      return at
    }
    const sequence = escapes[byte] as Buffer
    for (let index = 0; index < sequence.length; index++) out[at++] = sequence[index] as number
    return at
  }
}
