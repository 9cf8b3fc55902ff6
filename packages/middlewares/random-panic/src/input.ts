import {
  assertOutcomeCount,
  type Batch,
  type Consumer,
  closedError,
  Message,
  type Opening,
  wrapConsumer,
} from '@mqb/core'
import type { RandomPanicConfig } from './config.ts'
import { faultError } from './errors.ts'
import { createTrigger } from './trigger.ts'

/**
 * Faults a receive instead of making it: the source is not asked, so nothing of it is lost. With a trigger the receives
 * before are kept short enough that the fault meets exactly that message.
 */
export function faultyConsumer(inner: Consumer, config: RandomPanicConfig, opening: Opening): Consumer {
  const trigger = createTrigger(config.trigger_on_message)
  let closed = false

  /** A message out of nowhere that no JSON step can read. Its source is nobody, so its commit tells nobody. */
  function brokenBatch(): Batch {
    return {
      messages: [new Message('{"injected": "not JSON')],
      async commit(outcomes) {
        if (closed) throw closedError()
        assertOutcomeCount(outcomes, 1)
      },
    }
  }

  return wrapConsumer(inner, {
    async receive(limit, signal) {
      if (trigger.due && !closed && limit.messages > 0) {
        signal.throwIfAborted()
        trigger.fired()
        opening.counters.add('faults')
        opening.log.warn(`random_panic injects ${config.mode}`)
        if (config.mode === 'json_format_error') return brokenBatch()
        throw faultError(config.mode, 'input', opening.path)
      }
      const messages = Math.min(limit.messages, trigger.distance)
      const batch = await inner.receive(messages === limit.messages ? limit : { ...limit, messages }, signal)
      trigger.passed(batch.messages.length)
      return batch
    },
    close() {
      closed = true
      return inner.close()
    },
  })
}
