import type { Side } from '@mqb/core'
import { Counter, Histogram, Registry } from 'prom-client'

/** What the middleware writes into; a host merges it with its own: `Registry.merge([own, metricsRegistry])`. */
export const metricsRegistry: Registry = new Registry()

const labelNames = ['route', 'endpoint'] as const

const processed = new Counter({
  name: 'queue_messages_processed_total',
  help: 'Messages that were received by an input, or sent with success by an output.',
  labelNames,
  registers: [metricsRegistry],
})

const duration = new Histogram({
  name: 'queue_message_processing_duration_seconds',
  help: 'Time for a batch divided by its messages; on an input with the time spent waiting for them.',
  labelNames,
  // From a memory channel at full speed to a source that is silent for most of a minute.
  buckets: [1e-6, 1e-5, 1e-4, 5e-4, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
  registers: [metricsRegistry],
})

/** The two series of one side of one route. */
export interface Series {
  /** @param succeeded messages to count. @param count messages that shared the time, at least 1. */
  record(succeeded: number, count: number, elapsedMs: number): void
}

/** Both labels come from the configuration: the number of series is bounded by the number of routes. */
export function seriesOf(route: string, endpoint: Side): Series {
  const count = processed.labels(route, endpoint)
  const time = duration.labels(route, endpoint)
  // A rate needs the zero before the first message.
  count.inc(0)
  return {
    record(succeeded, messages, elapsedMs) {
      if (succeeded > 0) count.inc(succeeded)
      time.observe(elapsedMs / 1000 / messages)
    },
  }
}

/** Removes the series of a route that is gone for good, so that they are not exported for ever. */
export function forgetRoute(route: string): void {
  for (const endpoint of ['input', 'output']) {
    processed.remove(route, endpoint)
    duration.remove(route, endpoint)
  }
}
