import type { Logger } from '@mqb/core'
import type { BatchBuilder } from '../batch-builder.ts'
import { type Delimiter, recordEnd } from '../delimiter.ts'
import { fileError } from '../errors.ts'
import { LineMessage } from '../line-message.ts'
import type { LongRecordPolicy } from '../long-record.ts'
import type { SlabReader } from '../slab-reader.ts'
import type { Splitter, Stamp } from '../splitter.ts'
import { firstInvalidUtf8 } from '../utf8.ts'
import { uniqueNames } from './columns.ts'
import { autoSeparators, type CsvDialect } from './dialect.ts'
import { readFields } from './fields.ts'
import { countSeparators, RecordScanner } from './record-scanner.ts'
import { RowReader } from './row-reader.ts'

export interface CsvSplitterOptions {
  readonly dialect: CsvDialect
  readonly delimiter: Delimiter
  readonly longRecords: LongRecordPolicy
  readonly target: string
  readonly log: Logger
  readonly stamp?: Stamp | undefined
}

/** Rows of CSV, each as the text of a JSON object of strings. */
export class CsvSplitter implements Splitter {
  readonly #options: CsvSplitterOptions
  readonly #scanner: RecordScanner
  /** Known once the columns are. */
  #rows: RowReader | undefined
  #dialect: CsvDialect
  // The scanner stands inside the record at `pos`, that many bytes behind it.
  #isScanning = false
  #scanned = 0
  // First byte of a record that is being left out.
  #skippedFrom = -1
  readonly #warned = { short: false, long: false, encoding: false }

  constructor(options: CsvSplitterOptions) {
    this.#options = options
    this.#dialect = options.dialect
    const { separator } = options.dialect
    this.#scanner = new RecordScanner(
      options.delimiter,
      options.dialect,
      separator < 0 ? autoSeparators : [separator],
    )
  }

  restart(): void {
    this.#endRecord()
    this.#rows = undefined
  }

  take(reader: SlabReader, batch: BatchBuilder): void {
    const from = reader.pos
    try {
      while (!batch.isFull && this.#step(reader, batch, false)) {}
    } finally {
      this.#checkEncoding(reader, from)
    }
  }

  finish(reader: SlabReader, batch: BatchBuilder): void {
    if (this.#isScanning) this.#scanner.scan(reader.window, reader.pos + this.#scanned, true)
    if (this.#isScanning && this.#skippedFrom < 0 && this.#scanner.isQuoted) {
      this.#options.longRecords.meet(reader.position, 'in a quote that never closes')
      this.#skippedFrom = reader.position
    }
    if (this.#skippedFrom >= 0) {
      this.#options.longRecords.skipped(this.#skippedFrom, reader.base + reader.end)
      reader.pos = reader.end
      this.#endRecord()
      return
    }
    this.#endRecord()
    const from = reader.pos
    while (!batch.isFull && this.#step(reader, batch, true)) {}
    this.#checkEncoding(reader, from)
    reader.seal()
  }

  /**
   * Learns the columns from the start of a file, for a reader that goes on in the middle of it.
   *
   * @returns whether they are known; else more bytes are needed.
   */
  learnColumns(reader: SlabReader, isLast: boolean): boolean {
    while (this.#rows === undefined && this.#step(reader, undefined, isLast)) {}
    if (this.#rows !== undefined) this.#endRecord()
    return this.#rows !== undefined
  }

  /** One record. Returns false when more bytes are needed. */
  #step(reader: SlabReader, batch: BatchBuilder | undefined, isLast: boolean): boolean {
    if (reader.pos >= reader.end) return false
    if (this.#isScanning && this.#scanOn(reader) < 0) return false
    if (this.#skipBlank(reader)) return true
    if (this.#rows === undefined) return this.#begin(reader, isLast)
    return batch !== undefined && this.#takeRow(this.#rows, reader, batch, isLast)
  }

  #takeRow(rows: RowReader, reader: SlabReader, batch: BatchBuilder, isLast: boolean): boolean {
    const { longRecords, stamp } = this.#options
    const { position } = reader
    const at = rows.read(reader.window, reader.pos, isLast)
    if (at < 0) return this.#scanFrom(reader) >= 0
    if (at - reader.pos > longRecords.maxBytes) {
      longRecords.meet(position)
      longRecords.skipped(position, reader.base + at)
    } else {
      if (rows.fieldCount !== rows.columnCount) this.#warnShape(rows, position)
      const metadata = stamp?.(position, batch.firstRecord + batch.count)
      batch.add(new LineMessage(rows.out, rows.rowStart, rows.rowEnd, metadata), position)
    }
    this.#pass(reader, at)
    return true
  }

  /** The first record: settles the separator and the columns. It is a row itself where there is no header. */
  #begin(reader: SlabReader, isLast: boolean): boolean {
    let at = this.#scanFrom(reader)
    if (at < 0) {
      if (!isLast) return false
      at = reader.end
    }
    const { delimiter, dialect } = this.#options
    const { bytes, pos } = reader
    const end = at === reader.end ? at : recordEnd(bytes, delimiter, pos, at)
    if (this.#dialect.separator < 0) {
      const counts = countSeparators(bytes, pos, end, dialect, autoSeparators)
      const separator = autoSeparators[counts.indexOf(Math.max(...counts))] as number
      this.#dialect = { ...dialect, separator }
      this.#scanner.setSeparators([separator])
    }
    const header = dialect.header ? readFields(bytes, pos, end, this.#dialect) : []
    if (at === reader.end && header.length > 0) this.#checkLineEnds(bytes.subarray(pos, end))
    this.#rows = new RowReader(this.#dialect, delimiter, dialect.columns ?? uniqueNames(header))
    this.#endRecord()
    if (dialect.header) this.#pass(reader, at)
    return true
  }

  /** A file whose lines end in CR alone is nothing but a header to a reader of lines: it would have no rows. */
  #checkLineEnds(record: Buffer): void {
    const { delimiter, target } = this.#options
    if (!delimiter.isNewline || !/[^\r]\r[^\r]/.test(record.toString('latin1'))) return
    throw fileError({
      code: 'MQB_FILE_HEADER',
      kind: 'permanent',
      what: `the header of ${target} has carriage returns in it: its lines seem to end in CR alone`,
      mend: 'set `delimiter: "0x0d"`',
    })
  }

  #pass(reader: SlabReader, at: number): void {
    reader.pos = Math.min(at + this.#options.delimiter.bytes.length, reader.end)
  }

  #scanFrom(reader: SlabReader): number {
    this.#scanner.reset()
    this.#isScanning = true
    this.#scanned = 0
    return this.#scanOn(reader)
  }

  /**
   * Looks further for the end of the record that has begun, and minds its length: each byte is looked at once however
   * often more of them come. Returns where the delimiter begins, or -1.
   */
  #scanOn(reader: SlabReader): number {
    const at = this.#scanner.scan(reader.window, reader.pos + this.#scanned)
    if (at >= 0) {
      if (this.#skippedFrom >= 0) {
        this.#options.longRecords.skipped(this.#skippedFrom, reader.base + at)
        this.#pass(reader, at)
      }
      this.#endRecord()
      return at
    }
    this.#scanned = this.#scanner.resumeAt - reader.pos
    if (this.#skippedFrom < 0 && this.#scanned > this.#options.longRecords.maxBytes) {
      const quote = this.#scanner.isQuoted ? ', inside a quote that does not close' : ''
      const { longRecords } = this.#options
      longRecords.meet(reader.position, `longer than ${longRecords.maxBytes} bytes${quote}`)
      this.#skippedFrom = reader.position
    }
    if (this.#skippedFrom >= 0) {
      reader.pos += this.#scanned
      this.#scanned = 0
    }
    return -1
  }

  #endRecord(): void {
    this.#isScanning = false
    this.#scanned = 0
    this.#skippedFrom = -1
    this.#scanner.reset()
  }

  /** Blank lines are no rows. */
  #skipBlank(reader: SlabReader): boolean {
    const { delimiter } = this.#options
    const { bytes, pos, end } = reader
    if (pos >= end) return false
    const length = delimiter.bytes.length
    if (delimiter.isNewline && bytes[pos] === 13 && pos + 1 < end && bytes[pos + 1] === 10) {
      reader.pos += 2
      return true
    }
    if (bytes[pos] !== delimiter.bytes[0] || pos + length > end) return false
    if (length > 1 && bytes.compare(delimiter.bytes, 0, length, pos, pos + length) !== 0) return false
    reader.pos += length
    return true
  }

  #warnShape(rows: RowReader, position: number): void {
    const kind = rows.fieldCount < rows.columnCount ? 'short' : 'long'
    if (this.#warned[kind]) return
    this.#warned[kind] = true
    const { log, target } = this.#options
    const effect =
      kind === 'short'
        ? 'the missing ones are read as empty (often the sign of a wrong separator)'
        : 'the ones over are dropped'
    log.warn(
      `the row at byte ${position} of ${target} has ${rows.fieldCount} fields and the file ${rows.columnCount} columns: ${effect}; further such rows are not reported`,
      { position },
    )
  }

  #checkEncoding(reader: SlabReader, from: number): void {
    if (this.#warned.encoding || from >= reader.pos) return
    const at = firstInvalidUtf8(reader.bytes, from, reader.pos)
    if (at < 0) return
    this.#warned.encoding = true
    const { log, target } = this.#options
    log.warn(
      `byte ${reader.base + at} of ${target} is not UTF-8: it is passed on as it is, and a step that reads the JSON may fail; further such bytes are not reported`,
      { position: reader.base + at },
    )
  }
}
