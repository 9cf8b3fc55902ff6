import type { Message } from '../message/message.ts'

/** A stretch of a slab: payloads one after the other, each followed by the same delimiter of one byte. */
export interface PackedRun {
  readonly bytes: Buffer
  readonly start: number
  /** One past the delimiter behind the last payload. */
  readonly end: number
}

/**
 * Messages as they lie in memory, before anybody has made objects of them: no metadata, ids not minted yet. A batch that
 * nothing looks into can go from its source to its sink like this, for the price of finding the delimiters.
 *
 * The bytes of `runs` are only there until the batch is committed: a source may then read into the same memory again,
 * unless `messages` was asked for. A publisher has to be done with them when it answers; who needs them longer takes
 * `messages`.
 */
export interface PackedMessages {
  /** At least 1. */
  readonly count: number
  /** Payload bytes, delimiters not counted. */
  readonly byteLength: number
  /** The byte behind each payload. It is in none of them. */
  readonly delimiter: number
  /** All of them, in order. */
  readonly runs: readonly PackedRun[]
  /** The same as messages; made once. */
  readonly messages: readonly Message[]
}
