import {
  failure,
  type Message,
  MqbError,
  type Opening,
  type Outcome,
  type Outcomes,
  type Publisher,
  pickMessages,
  repeat,
  scatterOutcomes,
  wrapPublisher,
} from '@mqb/core'
import type { RandomPanicConfig } from './config.ts'
import { faultError } from './errors.ts'
import { createTrigger } from './trigger.ts'

/**
 * Faults a send. `panic`, `disconnect` and `timeout` throw, `nack` answers all messages of the call so: in neither is
 * anything sent. `json_format_error` fails the message that it meets, the others of the call are sent.
 */
export function faultyPublisher(inner: Publisher, config: RandomPanicConfig, opening: Opening): Publisher {
  const trigger = createTrigger(config.trigger_on_message)
  const { mode, trigger_on_message: at } = config
  let closed = false

  function fault(): Error {
    trigger.fired()
    opening.counters.add('faults')
    opening.log.warn(`random_panic injects ${mode}`)
    return faultError(mode, 'output', opening.path)
  }

  async function send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    const { distance } = trigger
    if (closed || messages.length <= distance) {
      trigger.passed(messages.length)
      return inner.send(messages, signal)
    }
    const error = fault()
    if (!MqbError.is(error)) throw error
    const failed = failure(error)
    if (mode === 'nack') return repeat(failed, messages.length)
    if (mode !== 'json_format_error') throw error
    return at === undefined ? repeat(failed, messages.length) : failOne(messages, distance, failed, signal)
  }

  async function failOne(
    messages: readonly Message[],
    position: number,
    failed: Outcome,
    signal: AbortSignal,
  ): Promise<Outcomes> {
    const others = [...messages.keys()].filter(other => other !== position)
    const outcomes = others.length === 0 ? [] : await inner.send(pickMessages(messages, others), signal)
    return scatterOutcomes(messages.length, others, outcomes, failed)
  }

  return wrapPublisher(inner, {
    send,
    close() {
      closed = true
      return inner.close()
    },
  })
}
