import type { ByteSource } from './byte-source.ts'

/**
 * What the end of an input means once everything that was there is read:
 * - `growing`: more may come.
 * - `replaced`: this one is complete, and another took its place.
 * - `truncated`: it is shorter now than what was read; it begins anew.
 * - `ended`: nothing comes any more.
 */
export type EndState = 'growing' | 'replaced' | 'truncated' | 'ended'

/** One open file (or stream) that records are read from. */
export interface RecordInput {
  /** As shown in metadata and messages. */
  readonly path: string
  readonly source: ByteSource
  /** Where reading begins. */
  readonly startPosition: number
  /** @param readPosition one past the last byte that was read. */
  endState(readPosition: number): EndState
  /** Everything before `position` is acknowledged. */
  acknowledge(position: number): void | Promise<void>
  /** The header of a CSV file ends at `position`: it stays when records are removed. */
  keepHead?(position: number): void
  close(): Promise<void>
}

/** Opens one input after the other. */
export interface InputOpener {
  /**
   * @returns `undefined` while there is nothing to open.
   * @throws {MqbError} for what cannot be opened at all.
   */
  open(): Promise<RecordInput | undefined>
  /** The last trouble that did not stop reading, such as a position that cannot be written. */
  readonly trouble: string | undefined
  /** Saves what is to be saved. */
  close(): Promise<void>
}
