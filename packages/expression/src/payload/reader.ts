import { compilePaths, JsonSyntaxError, type PathProgram, type PathStep } from '@mqb/json'
import { EvaluationError } from '../evaluation-error.ts'
import { readValue } from '../value/read.ts'
import type { Value } from '../value/value.ts'
import type { Document, Frame, Run } from './frame.ts'

/** A payload path that an expression reads. */
export interface Slot {
  readonly steps: readonly PathStep[]
  /** Where its range begins among the ranges; the end follows. */
  readonly at: number
  /** Read more than once: the value is kept during an evaluation. */
  shared: boolean
}

/** The payload paths of an expression, found in one pass over the payload. */
export class PayloadReader {
  readonly slots: Slot[] = []
  private readonly known = new Map<string, Slot>()
  private program: PathProgram | undefined

  /** The slot of one read of a path. */
  slotFor(steps: readonly PathStep[]): Slot {
    const before = this.known.get(JSON.stringify(steps))
    if (before === undefined) return this.slotOf(steps)
    before.shared = true
    return before
  }

  /** The slot of a path for reads that need no value, only its bytes. */
  slotOf(steps: readonly PathStep[]): Slot {
    const key = JSON.stringify(steps)
    const before = this.known.get(key)
    if (before !== undefined) return before
    const slot = { steps, at: 2 * this.slots.length, shared: false }
    this.known.set(key, slot)
    this.slots.push(slot)
    return slot
  }

  /** Finds all paths in a payload. Does not look at it when there are none. */
  load(frame: Frame, document: Document): void {
    if (this.slots.length === 0) return
    if (this.program === undefined) {
      this.program = compilePaths(this.slots.map(slot => slot.steps))
      frame.ranges = this.program.createRanges()
    }
    const { bytes, start, end } = document
    if (!this.onlyWhole && firstByte(bytes, start, end) !== 0x7b) throw noObject(bytes, start, end)
    try {
      this.program.find(bytes, start, end, frame.ranges)
    } catch (error) {
      throw error instanceof JsonSyntaxError
        ? new EvaluationError(
            'payload',
            undefined,
            `the payload is ${error.message}`,
            'send JSON, or drop what is none',
          )
        : error
    }
    frame.bytes = bytes
    if (frame.memo.length > 0) frame.memo.length = 0
  }

  private get onlyWhole(): boolean {
    return this.slots.length === 1 && this.slots[0]?.steps.length === 0
  }
}

export function readSlot(slot: Slot): Run {
  const { at } = slot
  const memoAt = at / 2
  return frame => {
    if (slot.shared) {
      const known = frame.memo[memoAt]
      if (known !== undefined) return known
    }
    const start = frame.ranges[at] as number
    const value: Value = start < 0 ? null : readValue(frame.bytes, start, frame.ranges[at + 1] as number)
    if (slot.shared) frame.memo[memoAt] = value
    return value
  }
}

function firstByte(bytes: Uint8Array, start: number, end: number): number | undefined {
  for (let at = start; at < end; at++) {
    const c = bytes[at] as number
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return c
  }
  return undefined
}

function noObject(bytes: Uint8Array, start: number, end: number): EvaluationError {
  const what =
    firstByte(bytes, start, end) === undefined ? 'the payload is empty' : 'the payload is not a JSON object'
  return new EvaluationError(
    'payload',
    undefined,
    `${what}, so it has no fields`,
    'send a JSON object, or drop what is none',
  )
}
