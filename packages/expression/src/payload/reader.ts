import { compilePaths, JsonSyntaxError, type PathProgram, type PathStep } from '@mqb/json'
import { EvaluationError } from '../evaluation-error.ts'
import { readValue } from '../value/read.ts'
import type { Value } from '../value/value.ts'
import { type Document, type Frame, type Run, release } from './frame.ts'

/** A payload path that an expression reads. */
export interface Slot {
  readonly steps: readonly PathStep[]
  /** Where its range begins among the ranges; the end follows. */
  readonly at: number
  /** Read more than once: the value is kept during an evaluation. */
  shared: boolean
}

/** The payload paths of one or more expressions, found in one pass over the payload. */
export class PayloadReader {
  readonly slots: Slot[] = []
  private readonly known = new Map<string, Slot>()
  private program: PathProgram | undefined
  // Which part of the bytes of the frame the ranges belong to.
  private start = 0
  private end = 0

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

  /**
   * Finds all paths in a payload, unless it is the one that the frame holds already.
   *
   * @param needsObject the reader names fields; without it the payload may be any JSON.
   * @throws {EvaluationError} kind `payload`
   */
  load(frame: Frame, { bytes, start, end }: Document, needsObject: boolean): void {
    if (needsObject && firstByte(bytes, start, end) !== 0x7b) throw noObject(bytes, start, end)
    if (this.program?.paths.length !== this.slots.length) {
      this.program = compilePaths(this.slots.map(slot => slot.steps))
      frame.ranges = this.program.createRanges()
    } else if (frame.bytes === bytes && this.start === start && this.end === end) return
    this.find(this.program, frame, bytes, start, end)
    frame.bytes = bytes
    this.start = start
    this.end = end
    if (frame.memo.length > 0) frame.memo.length = 0
  }

  private find(program: PathProgram, frame: Frame, bytes: Uint8Array, start: number, end: number): void {
    try {
      program.find(bytes, start, end, frame.ranges)
    } catch (error) {
      release(frame)
      throw error instanceof JsonSyntaxError
        ? new EvaluationError(
            'payload',
            undefined,
            `the payload is ${error.message}`,
            'send JSON, or drop what is none',
          )
        : error
    }
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
