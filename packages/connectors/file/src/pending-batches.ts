import { ALL_ACKED, type Message, type Outcomes, outcomeAt, settles } from '@mqb/core'
import type { MessageList, Positions } from './batch-builder.ts'
import type { RecordInput } from './record-input.ts'

/** Messages of one input with their positions, in order. */
export interface Portion {
  readonly input: RecordInput
  readonly list: MessageList
  readonly positions: Positions
  /** The index in `positions` of the first message. */
  readonly offset: number
  isSettled: boolean
  /** Every message, and nothing is to be kept of them. */
  isDelivered: boolean
  /** One past the last record, and whatever was passed over behind it. */
  readonly endPosition: number
}

/** Everything of an input before a position is settled. */
export interface Progress {
  readonly input: RecordInput
  readonly position: number
}

/**
 * The batches that are handed out and not committed, in order. A message that is not settled comes again, with all that
 * was handed out behind it: duplicates, never gaps.
 */
export class PendingBatches {
  #handedOut: Portion[] = []
  #again: Portion[] = []

  get count(): number {
    return this.#handedOut.length
  }

  handOut(portion: Portion): void {
    this.#handedOut.push(portion)
  }

  /** What has to be handed out again next, at most `limit` messages and as few as cross `bytes`. */
  takeAgain(limit: number, bytes: number): Portion | undefined {
    const next = this.#again.shift()
    if (next === undefined) return undefined
    const count = countWithin(next.list.messages, limit, bytes)
    if (count === next.list.count) return next
    this.#again.unshift(slice(next, count, next.list.count))
    return slice(next, 0, count)
  }

  /**
   * @returns how far each input is settled now; nothing when that has not moved, as for batches from before a
   *   redelivery.
   */
  commit(portion: Portion, outcomes: Outcomes): Progress[] {
    const index = this.#handedOut.indexOf(portion)
    if (index < 0) return []
    const failed = firstUnsettled(outcomes, portion.list.count)
    if (failed < 0) {
      portion.isSettled = true
      portion.isDelivered = outcomes === ALL_ACKED
      return this.#advance()
    }
    const rest = slice(portion, failed, portion.list.count)
    this.#again = [rest, ...this.#handedOut.slice(index + 1), ...this.#again]
    this.#handedOut = this.#handedOut.slice(0, index)
    return index === 0 ? [{ input: portion.input, position: positionOf(rest, 0) }] : []
  }

  /** Past all batches at the front that are settled. */
  #advance(): Progress[] {
    const progress: Progress[] = []
    for (let head = this.#handedOut[0]; head?.isSettled; head = this.#handedOut[0]) {
      this.#handedOut.shift()
      if (head.isDelivered) head.list.release?.()
      if (progress.at(-1)?.input === head.input) progress.pop()
      progress.push({ input: head.input, position: head.endPosition })
    }
    return progress
  }
}

function firstUnsettled(outcomes: Outcomes, count: number): number {
  if (outcomes === ALL_ACKED) return -1
  for (let index = 0; index < count; index++) if (!settles(outcomeAt(outcomes, index))) return index
  return -1
}

function countWithin(messages: readonly Message[], limit: number, bytes: number): number {
  let count = 0
  let sum = 0
  while (count < messages.length && count < limit && (count === 0 || sum < bytes)) {
    sum += (messages[count] as Message).byteLength
    count++
  }
  return count
}

function slice(portion: Portion, from: number, to: number): Portion {
  if (from === 0 && to === portion.list.count) return portion
  const messages = portion.list.messages.slice(from, to)
  return {
    input: portion.input,
    list: { count: messages.length, messages },
    positions: portion.positions,
    isSettled: false,
    isDelivered: false,
    offset: portion.offset + from,
    endPosition: to === portion.list.count ? portion.endPosition : positionOf(portion, to),
  }
}

/** Where the record of a message begins. */
function positionOf(portion: Portion, index: number): number {
  return portion.positions.of(portion.offset + index, portion.list.messages[index] as Message)
}
