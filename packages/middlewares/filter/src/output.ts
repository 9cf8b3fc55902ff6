import {
  ack,
  closedError,
  failure,
  MqbError,
  type Outcomes,
  type Publisher,
  pickMessages,
  repeat,
  scatterOutcomes,
  wrapPublisher,
} from '@mqb/core'
import type { Selector } from './selector.ts'

/** Sends what is kept; the rest is acked where it stood. */
export function filterPublisher(inner: Publisher, selector: Selector): Publisher {
  let closed = false
  return wrapPublisher(inner, {
    async send(messages, signal): Promise<Outcomes> {
      // What is left out would be acked without anybody behind it.
      if (closed) throw closedError()
      let kept: readonly number[]
      try {
        kept = selector.select(messages)
      } catch (error) {
        // A mistake of the configuration: to drop one message after the other would hide it.
        if (MqbError.is(error)) return repeat(failure(error), messages.length)
        throw error
      }
      if (kept.length === messages.length) return inner.send(messages, signal)
      if (kept.length === 0) return repeat(ack('filtered'), messages.length)
      const outcomes = await inner.send(pickMessages(messages, kept), signal)
      return scatterOutcomes(messages.length, kept, outcomes, ack('filtered'))
    },
    close() {
      closed = true
      return inner.close()
    },
  })
}
