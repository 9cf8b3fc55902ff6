import {
  ALL_ACKED,
  type Clock,
  type Consumer,
  type Outcomes,
  type Publisher,
  wrapConsumer,
  wrapPublisher,
} from '@mqb/core'
import type { Series } from './registry.ts'

/** Counts when messages are received, whatever becomes of them; the time includes waiting for them. */
export function measureConsumer(inner: Consumer, series: Series, clock: Clock): Consumer {
  return wrapConsumer(inner, {
    async receive(limit, signal) {
      const startMs = clock.monotonic()
      const batch = await inner.receive(limit, signal)
      const count = batch.messages.length
      if (count > 0) series.record(count, count, clock.monotonic() - startMs)
      return batch
    },
  })
}

/** Counts what was acked or replied to. A send that throws counts nothing. */
export function measurePublisher(inner: Publisher, series: Series, clock: Clock): Publisher {
  return wrapPublisher(inner, {
    async send(messages, signal) {
      const startMs = clock.monotonic()
      const outcomes = await inner.send(messages, signal)
      const count = messages.length
      if (count > 0) series.record(successes(outcomes, count), count, clock.monotonic() - startMs)
      return outcomes
    },
  })
}

function successes(outcomes: Outcomes, count: number): number {
  if (outcomes === ALL_ACKED) return count
  let succeeded = 0
  for (const outcome of outcomes) if (outcome.kind !== 'failure') succeeded++
  return succeeded
}
