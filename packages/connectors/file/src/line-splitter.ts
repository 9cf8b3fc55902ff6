import { Message } from '@mqb/core'
import type { BatchBuilder } from './batch-builder.ts'
import { type Delimiter, findDelimiter, recordEnd } from './delimiter.ts'
import { LineMessage } from './line-message.ts'
import type { LongRecordPolicy } from './long-record.ts'
import type { LineIndex } from './packed-lines.ts'
import type { SlabReader } from './slab-reader.ts'
import type { Splitter, Stamp } from './splitter.ts'

/** Makes a message of the record between two delimiters. */
export type RecordDecoder = (
  bytes: Buffer,
  start: number,
  end: number,
  metadata: readonly string[] | undefined,
) => Message

const lineFeed = 10

/** Records that end at the next delimiter, whatever stands in them: raw payloads and JSON lines. */
export class LineSplitter implements Splitter {
  readonly #delimiter: Delimiter
  readonly #longRecords: LongRecordPolicy
  readonly #decode: RecordDecoder | undefined
  readonly #stamp: Stamp | undefined
  // Bytes of the unfinished record that are known to hold no delimiter.
  #searched = 0
  // First byte of a record that is being left out.
  #skippedFrom = -1

  constructor(options: {
    readonly delimiter: Delimiter
    readonly longRecords: LongRecordPolicy
    /** Left out: the record is the payload. */
    readonly decode?: RecordDecoder | undefined
    readonly stamp?: Stamp | undefined
  }) {
    this.#delimiter = options.delimiter
    this.#longRecords = options.longRecords
    this.#decode = options.decode
    this.#stamp = options.stamp
  }

  restart(): void {
    this.#searched = 0
    this.#skippedFrom = -1
  }

  take(reader: SlabReader, batch: BatchBuilder): void {
    if (this.#skippedFrom >= 0 && !this.#skipOn(reader)) return
    if (this.#delimiter.isNewline && this.#decode === undefined && this.#stamp === undefined) {
      const lines = batch.lines(reader.pool)
      if (lines !== undefined) this.#takeLines(reader, batch, lines)
      if (batch.isFull) return
    }
    const { window } = reader
    const { bytes: delimiter } = this.#delimiter
    while (!batch.isFull) {
      const at = findDelimiter(window, this.#delimiter, reader.pos + this.#searched)
      if (at < 0) {
        this.#missed(reader)
        return
      }
      this.#searched = 0
      if (at - reader.pos > this.#longRecords.maxBytes) this.#skipTo(reader, at)
      else this.#add(reader, recordEnd(reader.bytes, this.#delimiter, reader.pos, at), batch)
      reader.pos = at + delimiter.length
    }
  }

  finish(reader: SlabReader, batch: BatchBuilder): void {
    if (this.#skippedFrom >= 0) {
      this.#longRecords.skipped(this.#skippedFrom, reader.position + (reader.end - reader.pos))
      reader.pos = reader.end
      this.restart()
      return
    }
    if (reader.pos === reader.end || batch.isFull) return
    this.#add(reader, reader.end, batch)
    reader.pos = reader.end
    reader.seal()
    this.#searched = 0
  }

  /** The loop that most bytes of this world go through: nothing in it but a native search and one number a line. */
  #takeLines(reader: SlabReader, batch: BatchBuilder, lines: LineIndex): void {
    const { bytes, window, base } = reader
    const maxBytes = this.#longRecords.maxBytes
    let pos = reader.pos
    let from = pos + this.#searched
    let room = batch.bytesLeft
    let { count, ends } = lines
    const { limit } = batch
    batch.positions.begin(count, base)
    lines.begin(bytes, pos)
    while (count < limit && room > 0) {
      const at = window.indexOf(lineFeed, from)
      if (at < 0 || at - pos > maxBytes) break
      if (count === ends.length) {
        lines.grow()
        ends = lines.ends
      }
      ends[count++] = at
      room -= at - pos
      if (at > pos && bytes[at - 1] === 13) {
        lines.hasReturns = true
        room++
      }
      pos = at + 1
      from = pos
    }
    if (count === lines.count) lines.cancel()
    else this.#searched = 0
    lines.count = count
    batch.bytesLeft = room
    reader.pos = pos
  }

  #add(reader: SlabReader, end: number, batch: BatchBuilder): void {
    const { bytes, pos, position } = reader
    reader.pool.share(bytes)
    const metadata = this.#stamp?.(position, batch.firstRecord + batch.count)
    const message =
      this.#decode?.(bytes, pos, end, metadata) ??
      (this.#delimiter.isNewline
        ? new LineMessage(bytes, pos, end, metadata)
        : Message.view(bytes, pos, end, metadata))
    batch.add(message, position)
  }

  #missed(reader: SlabReader): void {
    const length = reader.end - reader.pos
    const overlap = this.#delimiter.bytes.length - 1
    this.#searched = Math.max(0, length - overlap)
    if (length - overlap <= this.#longRecords.maxBytes) return
    this.#longRecords.meet(reader.position)
    this.#skippedFrom = reader.position
    this.#skipOn(reader)
  }

  #skipTo(reader: SlabReader, at: number): void {
    this.#longRecords.meet(reader.position)
    this.#longRecords.skipped(reader.position, reader.base + at)
  }

  /** Lets go of the bytes of a record that is left out. Returns whether its end was found. */
  #skipOn(reader: SlabReader): boolean {
    const at = findDelimiter(reader.window, this.#delimiter, reader.pos)
    if (at < 0) {
      reader.pos = Math.max(reader.pos, reader.end - (this.#delimiter.bytes.length - 1))
      this.#searched = 0
      return false
    }
    this.#longRecords.skipped(this.#skippedFrom, reader.base + at)
    this.#skippedFrom = -1
    reader.pos = at + this.#delimiter.bytes.length
    this.#searched = 0
    return true
  }
}
