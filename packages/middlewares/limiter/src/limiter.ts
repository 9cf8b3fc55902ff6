import { type Clock, type Consumer, type Publisher, wrapConsumer, wrapPublisher } from '@mqb/core'
import type { LimiterConfig } from './config.ts'
import { createPacer } from './pacer.ts'

/** Waits before it asks the source: nothing is held while it waits. */
export function limitConsumer(inner: Consumer, config: LimiterConfig, clock: Clock): Consumer {
  const pacer = createPacer(config.messages_per_second, clock)
  return wrapConsumer(inner, {
    async receive(limit, signal) {
      await pacer.next(0, signal)
      const batch = await inner.receive(limit, signal)
      pacer.took(batch.messages.length)
      return batch
    },
  })
}

/** Sends that overlap wait one behind the other, in the order in which they came. */
export function limitPublisher(inner: Publisher, config: LimiterConfig, clock: Clock): Publisher {
  const pacer = createPacer(config.messages_per_second, clock)
  return wrapPublisher(inner, {
    async send(messages, signal) {
      await pacer.next(messages.length, signal)
      return inner.send(messages, signal)
    },
  })
}
