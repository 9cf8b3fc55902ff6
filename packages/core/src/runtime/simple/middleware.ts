import * as z from 'zod'
import { createBackgroundCommits } from '../../batch/background-commits.ts'
import { keepSubset, scatterOutcomes } from '../../batch/subset.ts'
import { wrapConsumer, wrapPublisher } from '../../batch/wrap.ts'
import type { Batch, Consumer } from '../../contract/consumer.ts'
import type { Opening } from '../../contract/opening.ts'
import type { ConfigSchema, MiddlewareDefinition } from '../../contract/plugin.ts'
import type { Publisher } from '../../contract/publisher.ts'
import type { MqbError } from '../../errors/mqb-error.ts'
import { toMqbError } from '../../errors/normalize.ts'
import { Message } from '../../message/message.ts'
import { ack, failure, repeat } from '../../outcome/outcome.ts'
import { closeQuietly } from './close.ts'
import { simpleError } from './codes.ts'
import { nameOf, payloadOf } from './items.ts'
import type { SimpleMiddleware, SimpleMiddlewareFactory, SimpleOptions } from './types.ts'

/** A middleware type out of a factory of objects with `onReceive` and `onSend`. */
export function simpleMiddleware<C = unknown>(
  name: string,
  factory: SimpleMiddlewareFactory<C>,
  options: SimpleOptions<C> = {},
): MiddlewareDefinition<C> {
  if (typeof factory !== 'function') throw new TypeError(`the factory of ${name} must be a function`)
  return {
    summary: options.summary ?? `Middleware ${name}, registered in code.`,
    config: options.configSchema ?? (z.unknown() as ConfigSchema<C>),
    examples: [],
    // Any message may be dropped.
    changes: capabilities => ({ ...capabilities, keepsAll: false }),
    wrapConsumer: async (inner, config, opening) =>
      receiveThrough(inner, await factory(opening.route, config), opening),
    wrapPublisher: async (inner, config, opening) =>
      sendThrough(inner, await factory(opening.route, config), opening),
  }
}

function receiveThrough(inner: Consumer, middleware: SimpleMiddleware, opening: Opening): Consumer {
  const { onReceive } = middleware
  if (onReceive === undefined) return closing(inner, middleware, opening, wrapConsumer)
  const commits = createBackgroundCommits()
  return wrapConsumer(inner, {
    async receive(limit, signal) {
      for (;;) {
        commits.throwIfFailed()
        const batch = await inner.receive(limit, signal)
        if (batch.messages.length === 0) return batch
        const kept = await applyToBatch(batch)
        if (kept.messages.length > 0) return kept
        commits.start(batch, repeat(ack('filtered'), batch.messages.length))
      }
    },
    close: closerOf(inner, middleware, opening),
  })

  async function applyToBatch(batch: Batch): Promise<Batch> {
    let slots: Slots
    try {
      slots = readSlots(
        await onReceive?.call(middleware, batch.messages),
        batch.messages,
        'onReceive',
        'permanent',
      )
    } catch (thrown) {
      const error = toMqbError(thrown, 'retryable', opening.path)
      // For good means that the route ends: nothing of the batch is settled.
      if (error.kind !== 'permanent') await nack(batch, error)
      throw error
    }
    const kept = keepSubset(batch, slots.positions, ack('filtered'))
    return { messages: slots.messages, commit: outcomes => kept.commit(outcomes) }
  }
}

/** Gives a batch back that will not be handed out. Where that fails the source redelivers by itself. */
async function nack(batch: Batch, error: MqbError): Promise<void> {
  await batch.commit(repeat(failure(error), batch.messages.length)).catch(() => undefined)
}

function sendThrough(inner: Publisher, middleware: SimpleMiddleware, opening: Opening): Publisher {
  const { onSend } = middleware
  if (onSend === undefined) return closing(inner, middleware, opening, wrapPublisher)
  return wrapPublisher(inner, {
    async send(messages, signal) {
      if (messages.length === 0) return inner.send(messages, signal)
      let slots: Slots
      try {
        slots = readSlots(await onSend.call(middleware, messages), messages, 'onSend', 'retryable')
      } catch (thrown) {
        throw toMqbError(thrown, 'retryable', opening.path)
      }
      if (slots.messages.length === 0) return repeat(ack('filtered'), messages.length)
      const outcomes = await inner.send(slots.messages, signal)
      if (slots.messages.length === messages.length) return outcomes
      return scatterOutcomes(messages.length, slots.positions, outcomes, ack('filtered'))
    },
    close: closerOf(inner, middleware, opening),
  })
}

/** A side without its method passes messages through; the object is closed all the same. */
function closing<T extends Consumer | Publisher>(
  inner: T,
  middleware: SimpleMiddleware,
  opening: Opening,
  wrap: (inner: T, overrides: { close(): Promise<void> }) => T,
): T {
  if (middleware.close === undefined) return inner
  return wrap(inner, { close: closerOf(inner, middleware, opening) })
}

/** Closes the object once, then what it wraps. */
function closerOf(
  inner: { close(): Promise<void> },
  middleware: SimpleMiddleware,
  opening: Opening,
): () => Promise<void> {
  let own: Promise<void> | undefined
  return async () => {
    own ??= closeQuietly(middleware, opening)
    await own
    await inner.close()
  }
}

interface Slots {
  readonly messages: readonly Message[]
  /** Where they stood. */
  readonly positions: readonly number[]
}

function readSlots(
  slots: unknown,
  messages: readonly Message[],
  method: string,
  kind: 'permanent' | 'retryable',
): Slots {
  if (!Array.isArray(slots) || slots.length !== messages.length) {
    throw simpleError(
      'MQB_CUSTOM_RESULT',
      kind,
      `${method} got ${messages.length} messages and returned ${Array.isArray(slots) ? `${slots.length} slots` : nameOf(slots)}`,
      'return a list with one slot per message: the message, or null to drop it',
    )
  }
  const kept: Message[] = []
  const positions: number[] = []
  for (const [index, message] of messages.entries()) {
    const slot: unknown = slots[index]
    if (slot === null) continue
    const payload = Message.is(slot) ? undefined : payloadOf(slot)
    if (!Message.is(slot) && payload === undefined) {
      throw simpleError(
        'MQB_CUSTOM_RESULT',
        kind,
        `slot ${index} of ${method} is ${nameOf(slot)}`,
        'return the message, another payload for it, or null to drop it',
      )
    }
    kept.push(Message.is(slot) ? slot : message.derive(payload!))
    positions.push(index)
  }
  return { messages: kept, positions }
}
