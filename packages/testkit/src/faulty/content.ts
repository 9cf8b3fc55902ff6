import {
  ALL_ACKED,
  type Consumer,
  failure,
  type Message,
  MqbError,
  outcomeList,
  type Publisher,
} from '@mqb/core'
import type { ReferenceChannel } from '../reference/channel.ts'
import { referencePositionKey } from '../reference/consumer.ts'
import {
  changedBatches,
  changedConsumer,
  changedPublisher,
  type FaultyConnector,
  faulty,
} from './faulty-connector.ts'

/** An output that stores something else than it was given. */
function storing(name: string, breaks: string, change: (message: Message) => Message): FaultyConnector {
  return faulty({
    name,
    breaks,
    publisher: inner =>
      changedPublisher(inner, { send: (messages, signal) => inner.send(messages.map(change), signal) }),
  })
}

/** An output that stores other messages when the batch has this size; the others keep their contents. */
function storingBatch(
  name: string,
  breaks: string,
  size: number,
  change: (messages: readonly Message[]) => readonly Message[],
): FaultyConnector {
  return faulty({
    name,
    breaks,
    publisher: inner =>
      changedPublisher(inner, {
        async send(messages, signal) {
          if (messages.length !== size) return inner.send(messages, signal)
          await inner.send(change(messages), signal)
          return ALL_ACKED
        },
      }),
  })
}

const isText = (message: Message): boolean => Buffer.from(message.text()).equals(message.payload)

export const contentFaults: readonly FaultyConnector[] = [
  storing('an output that takes text for Latin-1', 'text comes through with its characters', message =>
    isText(message) && !message.isNull && message.byteLength > 0
      ? message.derive(Buffer.from(message.payload.toString('latin1')))
      : message,
  ),
  storing(
    'an output that takes an empty payload for none',
    'an empty payload comes through as an empty payload',
    message => (message.byteLength === 0 ? message.derive(null) : message),
  ),
  storing(
    'an output that writes a null payload as an empty one',
    'a null payload stays a null payload',
    message => (message.isNull ? message.derive('') : message),
  ),
  storing(
    'an output that decodes payloads as UTF-8',
    'every byte value comes through, whether it is UTF-8 or not',
    message => (message.isNull ? message : message.derive(message.text())),
  ),
  storing('an output that cuts payloads at 64 KiB', 'the largest payload comes through', message =>
    message.byteLength > 65_536 ? message.derive(Buffer.from(message.payload.subarray(0, 65_536))) : message,
  ),
  faulty({
    name: 'an output that fails a whole batch for one message that is too large',
    breaks: 'a payload over the bound fails alone and for good',
    config: { max_payload_bytes: 100 },
    publisher: inner =>
      changedPublisher(inner, {
        async send(messages, signal) {
          const outcomes = outcomeList(await inner.send(messages, signal), messages.length)
          const bad = outcomes.find(outcome => outcome.kind === 'failure')
          return bad === undefined ? outcomes : messages.map(() => bad)
        },
      }),
  }),
  faulty({
    name: 'an output that calls a message that is too large retryable',
    breaks: 'a payload over the bound fails alone and for good',
    config: { max_payload_bytes: 100 },
    publisher: inner =>
      changedPublisher(inner, {
        async send(messages, signal) {
          const outcomes = outcomeList(await inner.send(messages, signal), messages.length)
          return outcomes.map(outcome =>
            outcome.kind === 'failure'
              ? failure(new MqbError({ kind: 'retryable', code: 'MQB_REFERENCE_TOO_LARGE', what: 'later' }))
              : outcome,
          )
        },
      }),
  }),
  storing('an output that forgets metadata', 'metadata travels with its message', message =>
    message.withPairs([]),
  ),
  faulty({
    name: 'an output that publishes metadata about the hop',
    breaks: 'an output publishes no metadata about the hop',
    publisher: (inner, { channel }) => restoringMetadata(inner, channel),
  }),
  faulty({
    name: 'an input that believes forged metadata about the hop',
    breaks: 'an input drops forged metadata about the hop',
    consumer: (inner, { channel }) => believingMetadata(inner, channel),
  }),
  faulty({
    name: 'two ends that pass on metadata about the hop',
    breaks: 'metadata about the hop does not travel from end to end',
    alsoBreaks: [
      'an output publishes no metadata about the hop',
      'an input drops forged metadata about the hop',
    ],
    publisher: (inner, { channel }) => restoringMetadata(inner, channel),
    consumer: (inner, { channel }) => believingMetadata(inner, channel),
  }),
  faulty({
    name: 'an input that stamps no position',
    breaks: 'an input stamps its position when it is asked to',
    consumer: inner =>
      changedBatches(inner, batch => ({
        messages: batch.messages.map(message => message.withoutMetadata(key => key === referencePositionKey)),
        commit: outcomes => batch.commit(outcomes),
      })),
  }),
  faulty({
    name: 'an output that writes into the payloads that it was given',
    breaks: 'an output does not write into what it is given',
    publisher: inner =>
      changedPublisher(inner, {
        async send(messages, signal) {
          const outcomes = await inner.send(messages, signal)
          // What it stored is a copy, so that nobody else sees it; in the slab a neighbour may stand there.
          if (messages[0]?.bytes === messages[1]?.bytes) messages[0]?.payload.fill(0)
          return outcomes
        },
      }),
  }),
  faulty({
    name: 'an input that uses the memory of its messages again',
    breaks: 'an input does not reuse the memory of messages that it handed out',
    consumer(inner) {
      const lent: Message[] = []
      return changedConsumer(inner, {
        async receive(limit, signal) {
          const batch = await inner.receive(limit, signal)
          const copies = batch.messages.map(message =>
            message.isNull ? message : message.derive(Buffer.from(message.payload)),
          )
          lent.push(...copies)
          return { messages: copies, commit: outcomes => batch.commit(outcomes) }
        },
        async close() {
          await inner.close()
          // Only after a second round, as a pool would do.
          if (lent.length > 10) for (const message of lent) message.payload.fill(0)
        },
      })
    },
  }),
  faulty({
    name: 'an output that gives one outcome too few for a large batch',
    breaks: 'a batch of none, of one and of many is answered by position',
    publisher: inner =>
      changedPublisher(inner, {
        async send(messages, signal) {
          const outcomes = outcomeList(await inner.send(messages, signal), messages.length)
          return messages.length === 100 ? outcomes.slice(1) : outcomes
        },
      }),
  }),
  faulty({
    name: 'an output that refuses an empty batch',
    breaks: 'a batch of none, of one and of many is answered by position',
    publisher: inner =>
      changedPublisher(inner, {
        async send(messages, signal) {
          if (messages.length === 0) throw new RangeError('nothing to send')
          return inner.send(messages, signal)
        },
      }),
  }),
  storingBatch(
    'an output that loses a message',
    'many messages in many batches arrive once each',
    50,
    messages => messages.slice(1),
  ),
  storingBatch(
    'an output that doubles a message',
    'many messages in many batches arrive once each',
    50,
    messages => [...messages, messages[0]!],
  ),
  storingBatch(
    'an output that reorders a batch',
    'messages arrive in the order in which they were sent',
    20,
    messages => [...messages].reverse(),
  ),
]

/** Puts back what the publisher of the reference has stripped. */
function restoringMetadata(inner: Publisher, channel: ReferenceChannel): Publisher {
  return changedPublisher(inner, {
    async send(messages, signal) {
      const outcomes = await inner.send(messages, signal)
      for (const message of messages) {
        const entry = channel.stored.find(({ message: stored }) => stored.id === message.id)
        if (entry !== undefined)
          Object.assign(entry, { message: entry.message.withPairs(message.metadataPairs) })
      }
      return outcomes
    },
  })
}

/** Puts back what the consumer of the reference has dropped. */
function believingMetadata(inner: Consumer, channel: ReferenceChannel): Consumer {
  return changedBatches(inner, batch => ({
    messages: batch.messages.map(message => {
      const entry = channel.stored.find(({ message: stored }) => stored.id === message.id)
      return message.withMetadata(entry?.message.metadataPairs ?? [])
    }),
    commit: outcomes => batch.commit(outcomes),
  }))
}
