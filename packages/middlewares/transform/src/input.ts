import {
  ack,
  type Batch,
  type Consumer,
  createBackgroundCommits,
  keepSubset,
  type Message,
  type Opening,
  type Outcomes,
  pickMessages,
  repeat,
  replaceOneToOne,
  wrapConsumer,
} from '@mqb/core'
import { DropLog } from './drop-log.ts'
import { transformError } from './errors.ts'
import type { Transformer } from './transformer.ts'

const { setImmediate: nextTurn } = globalThis

// Commits may wait for those of earlier batches, and messages stay in memory until then.
const mostWaiting = 64

/**
 * Hands out transformed messages. What fails is acknowledged as dropped and logged; a batch of which nothing is left is
 * committed without being waited for, and the next one is received.
 */
export function transformConsumer(inner: Consumer, transformer: Transformer, opening: Opening): Consumer {
  const commits = createBackgroundCommits()
  const drops = new DropLog(opening)
  let waiting = 0

  /** Commits a batch of which nothing is left, and gives timers a turn: the source may always have more. */
  async function dropAll(batch: Batch, signal: AbortSignal): Promise<void> {
    waiting += 1
    const commit = async (outcomes: Outcomes): Promise<void> => {
      try {
        await batch.commit(outcomes)
      } finally {
        waiting -= 1
      }
    }
    commits.start({ messages: batch.messages, commit }, repeat(ack('dropped'), batch.messages.length))
    await new Promise<void>(resolve => {
      nextTurn(resolve)
    })
    if (waiting >= mostWaiting) await untilAborted(commits.idle(), signal)
    signal.throwIfAborted()
  }

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
        await dropAll(batch, signal)
      }
    },
    async close() {
      drops.flush()
      await inner.close()
    },
  })
}

/** Resolves with the promise, or when the signal aborts. */
async function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  let stop = (): void => {}
  const stopped = new Promise<void>(resolve => {
    stop = resolve
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    if (!signal.aborted) await Promise.race([promise, stopped])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
