import {
  type Batch,
  type Clock,
  type Consumer,
  mergeBatches,
  type ReceiveLimit,
  wrapConsumer,
} from '@mqb/core'
import type { BufferConfig } from './config.ts'

/**
 * Receives until the batch is full, the delay is over, the source has nothing for now, or the caller stops waiting.
 * What was taken by then is handed out; an error that was met meanwhile comes from the next receive.
 */
export function bufferConsumer(inner: Consumer, config: BufferConfig, clock: Clock): Consumer {
  let kept: { readonly error: unknown } | undefined

  /** The next batch, or `undefined` when filling ends here. */
  async function receiveMore(limit: ReceiveLimit, stop: AbortSignal): Promise<Batch | undefined> {
    try {
      return await inner.receive(limit, stop)
    } catch (error) {
      // Our own "stop waiting" comes back as its reason: nothing was lost, and nothing is to be reported.
      if (!stop.aborted || error !== stop.reason) kept = { error }
      return undefined
    }
  }

  return wrapConsumer(inner, {
    async receive(limit, signal) {
      if (kept !== undefined) {
        const { error } = kept
        kept = undefined
        throw error
      }
      const wanted = Math.min(limit.messages, config.max_messages)
      const first = await inner.receive({ messages: wanted, bytes: limit.bytes }, signal)
      const batches = [first]
      let count = first.messages.length
      let bytes = byteLength(first)
      if (count === 0 || count >= wanted || bytes >= limit.bytes) return first

      const stop = new AbortController()
      const onAbort = (): void => stop.abort(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      const cancel = clock.timer(config.max_delay_ms, () => stop.abort(new Error('the delay is over')))
      try {
        while (count < wanted && bytes < limit.bytes && !stop.signal.aborted && !signal.aborted) {
          const rest = { messages: wanted - count, bytes: limit.bytes - bytes }
          const next = await receiveMore(rest, stop.signal)
          if (next === undefined || next.messages.length === 0) break
          batches.push(next)
          count += next.messages.length
          bytes += byteLength(next)
        }
      } finally {
        cancel()
        signal.removeEventListener('abort', onAbort)
      }
      return mergeBatches(batches)
    },
    close() {
      kept = undefined
      return inner.close()
    },
  })
}

function byteLength(batch: Batch): number {
  let bytes = 0
  for (const message of batch.messages) bytes += message.byteLength
  return bytes
}
