import type { Message } from '../message/message.ts'

/** A stretch of a slab: payloads one after the other, each followed by the same delimiter of one byte. */
export interface SlabRun {
  readonly bytes: Buffer
  readonly start: number
  /** One past the delimiter behind the last payload. */
  readonly end: number
}

/** How the messages of a batch lie in memory. */
export interface SlabRuns {
  /** The byte behind each payload. It is in none of them. */
  readonly delimiter: number
  /** All messages, in their order. */
  readonly runs: readonly SlabRun[]
  /** Bytes of all payloads, delimiters not counted. */
  readonly byteLength: number
}

const known = new WeakMap<readonly Message[], SlabRuns>()

/**
 * Tells whoever gets this very list how its messages lie in memory, so that a batch that nothing changed can be written
 * as a few ranges without a look at each message. A list that is made of it, by a filter or a transform, is not known.
 */
export function noteSlabRuns(messages: readonly Message[], runs: SlabRuns): void {
  known.set(messages, runs)
}

/** What was noted about this very list. */
export function slabRunsOf(messages: readonly Message[]): SlabRuns | undefined {
  return known.get(messages)
}
