import {
  ack,
  type Batch,
  type Consumer,
  createBackgroundCommits,
  keepSubset,
  type Message,
  type Opening,
  pickMessages,
  repeat,
  replaceOneToOne,
  wrapConsumer,
} from '@mqb/core'
import { DropLog } from './drop-log.ts'
import { transformError } from './errors.ts'
import type { Transformer } from './transformer.ts'

/**
 * Hands out transformed messages. What fails is acknowledged as dropped and logged; a batch of which nothing is left is
 * committed without being waited for, and the next one is received.
 */
export function transformConsumer(inner: Consumer, transformer: Transformer, opening: Opening): Consumer {
  const commits = createBackgroundCommits()
  const drops = new DropLog(opening)

  function kept(batch: Batch): Batch {
    const { messages, failures } = transformer.run(batch.messages)
    if (failures === undefined) return messages === batch.messages ? batch : replaceOneToOne(batch, messages)
    for (const [position, failure] of failures)
      drops.drop(batch.messages[position] as Message, transformError(failure, opening.path))
    const positions = [...messages.keys()].filter(position => !failures.has(position))
    const rest = keepSubset(batch, positions, ack('dropped'))
    return replaceOneToOne(rest, pickMessages(messages, positions))
  }

  return wrapConsumer(inner, {
    async receive(limit, signal) {
      for (;;) {
        commits.throwIfFailed()
        const batch = await inner.receive(limit, signal)
        if (batch.messages.length === 0) return batch
        const result = kept(batch)
        if (result.messages.length > 0) return result
        commits.start(batch, repeat(ack('dropped'), batch.messages.length))
      }
    },
    async close() {
      drops.flush()
      await inner.close()
    },
  })
}
