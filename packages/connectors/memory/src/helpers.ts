import { Message } from '@mqb/core'
import { defaultRetention, type Retention } from './config.ts'
import { publishable } from './publishable.ts'
import type { DropListener } from './store/log.ts'
import { forgetIfUnused, openEventLog, openQueue } from './topics.ts'

/** A message, or its payload. */
export type MessageLike = Message | Uint8Array | string

/** The code side of a queue topic: for tests, and for programs that feed routes. */
export interface ChannelHandle {
  /** Sends one message as a batch of its own; waits while the topic is full. */
  send(message: MessageLike, signal?: AbortSignal): Promise<void>
  /** Sends messages as one batch; waits while the topic is full. */
  fill(messages: readonly MessageLike[], signal?: AbortSignal): Promise<void>
  /** Takes out everything that waits, oldest first. */
  drain(): readonly Message[]
  /** Batches that wait. */
  length(): number
  /** Replies to messages that were no requests, oldest first; they are taken out. At most 100 are kept. */
  responses(): readonly Message[]
  /** Ends the topic: sends fail, receivers get what is left and then the end of the stream. */
  close(): void
}

/**
 * A queue topic by its name. It is made when the first message goes in.
 *
 * @param capacity in batches, if this call is the one that makes it.
 * @throws {MqbError} kind `config` at the first use when the topic is an event store.
 */
export function channel(
  name: string,
  { capacity = 100 }: { readonly capacity?: number } = {},
): ChannelHandle {
  const topic = () => openQueue(name, capacity)
  const fill = async (messages: readonly MessageLike[], signal?: AbortSignal): Promise<void> => {
    if (messages.length > 0) await topic().channel.put(publishable(messages.map(toMessage)), signal)
  }
  return {
    send: (message, signal) => fill([message], signal),
    fill,
    drain() {
      const queue = topic()
      const messages: Message[] = []
      for (let batch = queue.channel.tryTake(); batch !== undefined; batch = queue.channel.tryTake()) {
        messages.push(...batch.messages.slice(batch.from))
      }
      forgetIfUnused(queue)
      return messages
    },
    length() {
      const queue = topic()
      const { length } = queue.channel
      forgetIfUnused(queue)
      return length
    },
    responses() {
      const queue = topic()
      const responses = queue.requests.takeResponses()
      forgetIfUnused(queue)
      return responses
    },
    close() {
      const queue = topic()
      queue.close()
      forgetIfUnused(queue)
    },
  }
}

/** The code side of an event store. */
export interface EventStoreHandle {
  append(messages: readonly MessageLike[]): void
  /** Events that are kept. */
  length(): number
  /** Offset of the newest event; 0 before the first. */
  head(): number
  /** Calls back with the events that leave the store, whether all have read them or not. Returns what ends that. */
  onDrop(listener: DropListener): () => void
  /** Takes out everything that is kept. */
  drain(): readonly Message[]
  close(): void
}

/**
 * An event store by its name, made when it is missing.
 *
 * @throws {MqbError} kind `config` when the topic is a queue.
 */
export function eventStore(name: string, retention: Partial<Retention> = {}): EventStoreHandle {
  const log = openEventLog(name, { ...defaultRetention, ...retention })
  return {
    append: messages => log.append(publishable(messages.map(toMessage)), performance.now()),
    length: () => log.length,
    head: () => log.head,
    onDrop: listener => log.onDrop(listener),
    drain() {
      const events = log.clear()
      forgetIfUnused(log)
      return events
    },
    close: () => log.close(),
  }
}

function toMessage(message: MessageLike): Message {
  return Message.is(message) ? message : new Message(message)
}
