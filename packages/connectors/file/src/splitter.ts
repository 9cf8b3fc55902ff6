import type { BatchBuilder } from './batch-builder.ts'
import type { SlabReader } from './slab-reader.ts'

/** Cuts what a reader holds into records and turns them into messages. Keeps nothing of a file but its columns. */
export interface Splitter {
  /**
   * Adds the whole records that are there to the batch, until it is full or more bytes are needed.
   *
   * @throws {MqbError} for a record that cannot be read; `pos` of the reader then stands at its first byte.
   */
  take(reader: SlabReader, batch: BatchBuilder): void
  /** Adds the last record, which no delimiter ends, once the source has nothing more. */
  finish(reader: SlabReader, batch: BatchBuilder): void
  /** Forgets what belongs to the file before: another file begins, or the same one from the start. */
  restart(): void
}

/** Makes the metadata of a message from where its record begins and how many came before it. */
export type Stamp = (position: number, record: number) => readonly string[]
