import type { Batch } from '../contract/consumer.ts'
import type { Outcome, Outcomes } from '../contract/outcome.ts'
import { ALL_ACKED } from '../outcome/all-acked.ts'
import { assertOutcomeCount, outcomeAt, outcomeList } from '../outcome/outcome.ts'

/** Hands out one source batch in parts. The source batch is committed once, when the last of its parts is. */
export interface BatchParts {
  /** Messages that were not handed out yet. */
  readonly remaining: number
  /** The next part of at most this many messages. The commit of the last part is the commit of the source batch. */
  next(messages: number): Batch
}

/** @see BatchParts */
export function splitBatch(batch: Batch): BatchParts {
  const total = batch.messages.length
  let handedOut = 0
  let settled = 0
  // Delivered where nothing else is said; absent while nothing else was, so that `ALL_ACKED` reaches the source as such.
  let collected: Outcome[] | undefined

  function collect(start: number, count: number, outcomes: Outcomes): void {
    if (outcomes === ALL_ACKED) return
    collected ??= outcomeList(ALL_ACKED, total).slice()
    for (let index = 0; index < count; index++) collected[start + index] = outcomeAt(outcomes, index)
  }

  return {
    get remaining() {
      return total - handedOut
    },
    next(messages) {
      const start = handedOut
      const part =
        start === 0 && messages >= total ? batch.messages : batch.messages.slice(start, start + messages)
      handedOut += part.length
      if (part.length === total) return batch
      return {
        messages: part,
        async commit(outcomes) {
          assertOutcomeCount(outcomes, part.length)
          collect(start, part.length, outcomes)
          settled += part.length
          if (settled === total) await batch.commit(collected ?? ALL_ACKED)
        },
      }
    },
  }
}
