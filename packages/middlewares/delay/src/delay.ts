import { type Clock, type Consumer, type Publisher, wrapConsumer, wrapPublisher } from '@mqb/core'
import type { DelayConfig } from './config.ts'

/** Waits, then receives. Nothing is held while it waits. */
export function delayConsumer(inner: Consumer, { delay_ms }: DelayConfig, clock: Clock): Consumer {
  if (delay_ms === 0) return inner
  return wrapConsumer(inner, {
    async receive(limit, signal) {
      await clock.sleep(delay_ms, signal)
      return inner.receive(limit, signal)
    },
  })
}

/** Waits, then sends. Sends that overlap wait side by side and go on in the order in which they came. */
export function delayPublisher(inner: Publisher, { delay_ms }: DelayConfig, clock: Clock): Publisher {
  if (delay_ms === 0) return inner
  return wrapPublisher(inner, {
    async send(messages, signal) {
      await clock.sleep(delay_ms, signal)
      return inner.send(messages, signal)
    },
  })
}
