import type { Batch } from '../contract/consumer.ts'
import type { Outcomes } from '../contract/outcome.ts'
import type { Message } from '../message/message.ts'
import { ALL_ACKED } from '../outcome/all-acked.ts'
import { assertOutcomeCount } from '../outcome/outcome.ts'

function sliceOutcomes(outcomes: Outcomes, start: number, end: number): Outcomes {
  return outcomes === ALL_ACKED ? ALL_ACKED : outcomes.slice(start, end)
}

/**
 * One batch of several, in order. Its commit commits each source batch once, in order, all started before any is
 * awaited. When some fail, all are awaited and the first failure is thrown.
 */
export function mergeBatches(batches: readonly Batch[]): Batch {
  const filled = batches.filter(batch => batch.messages.length > 0)
  const only = filled[0]
  if (only === undefined) return emptyBatch
  if (filled.length === 1) return only
  const messages: Message[] = []
  for (const batch of filled) for (const message of batch.messages) messages.push(message)
  return {
    messages,
    async commit(outcomes) {
      assertOutcomeCount(outcomes, messages.length)
      let start = 0
      const commits = filled.map(batch => {
        const own = sliceOutcomes(outcomes, start, start + batch.messages.length)
        start += batch.messages.length
        return batch.commit(own)
      })
      const failed = (await Promise.allSettled(commits)).find(result => result.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    },
  }
}

/** "Nothing for now." */
export const emptyBatch: Batch = Object.freeze({ messages: Object.freeze([]), commit: async () => {} })
