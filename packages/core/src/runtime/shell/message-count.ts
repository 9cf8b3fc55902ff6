import type { Batch } from '../../contract/consumer.ts'

/** How many messages a batch has, without making them. */
export function messageCount(batch: Batch): number {
  return batch.packed?.count ?? batch.messages.length
}
