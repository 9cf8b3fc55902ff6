import {
  ALL_ACKED,
  type Consumer,
  defineMiddleware,
  definePlugin,
  EndOfStream,
  failure,
  MqbError,
  outcomeList,
  type Plugin,
  type Publisher,
  type Side,
  sourcePrefix,
} from '@mqb/core'
import { changedBatches, changedCommit, changedConsumer, changedPublisher } from './faulty-connector.ts'

/** A middleware that should do nothing, and does one thing wrong. */
export interface FaultyMiddleware {
  readonly name: string
  readonly side: Side
  /** The tests that exist for this fault. */
  readonly breaks: readonly string[]
  /** Other tests that cannot pass either. */
  readonly alsoBreaks: readonly string[]
  /** With the middleware `faulty`. */
  readonly plugin: Plugin
}

interface Fault {
  readonly name: string
  readonly breaks: string
  readonly alsoBreaks?: readonly string[]
}

function plugin(wraps: {
  wrapConsumer?: (inner: Consumer) => Consumer
  wrapPublisher?: (inner: Publisher) => Publisher
}): Plugin {
  return definePlugin({
    name: 'mqb-faulty-middleware',
    middlewares: {
      faulty: defineMiddleware({
        summary: 'Does one thing wrong.',
        config: { type: 'object' },
        examples: [],
        ...wraps,
      }),
    },
  })
}

function onOutput(fault: Fault, change: (inner: Publisher) => Partial<Publisher>): FaultyMiddleware {
  return {
    name: fault.name,
    side: 'output',
    breaks: [fault.breaks],
    alsoBreaks: fault.alsoBreaks ?? [],
    plugin: plugin({ wrapPublisher: inner => changedPublisher(inner, change(inner)) }),
  }
}

function onInput(fault: Fault, change: (inner: Consumer) => Consumer): FaultyMiddleware {
  return {
    name: fault.name,
    side: 'input',
    breaks: [fault.breaks],
    alsoBreaks: fault.alsoBreaks ?? [],
    plugin: plugin({ wrapConsumer: change }),
  }
}

const isSource = (key: string): boolean => key.startsWith(sourcePrefix)

const outputFaults: readonly FaultyMiddleware[] = [
  onOutput(
    {
      name: 'an output middleware that mixes up outcomes',
      breaks: 'outcomes keep their positions',
      alsoBreaks: [
        'a reply reaches the one who asked, at the position of the request',
        'a request that failed is answered with a failure',
      ],
    },
    inner => ({
      async send(messages, signal) {
        return [...outcomeList(await inner.send(messages, signal), messages.length)].reverse()
      },
    }),
  ),
  onOutput(
    {
      name: 'an output middleware that decodes replies',
      breaks: 'a reply travels back as it is',
    },
    inner => ({
      async send(messages, signal) {
        const outcomes = outcomeList(await inner.send(messages, signal), messages.length)
        return outcomes.map(outcome =>
          outcome.kind === 'reply'
            ? { kind: 'reply' as const, message: outcome.message.derive(outcome.message.text()) }
            : outcome,
        )
      },
    }),
  ),
  onOutput(
    {
      name: 'an output middleware that strips metadata about the hop',
      breaks: 'a message goes on with its id, its metadata and its null payload',
    },
    inner => ({
      send: (messages, signal) =>
        inner.send(
          messages.map(message => message.withoutMetadata(isSource)),
          signal,
        ),
    }),
  ),
  onOutput(
    {
      name: 'an output middleware that calls every throw retryable',
      breaks: 'a lost connection stays a lost connection',
      alsoBreaks: ['a closed output sends nothing'],
    },
    inner => ({
      async send(messages, signal) {
        try {
          return await inner.send(messages, signal)
        } catch (cause) {
          const error = new MqbError({ kind: 'retryable', code: 'MQB_REFERENCE_FAULT', what: 'later', cause })
          return messages.map(() => failure(error))
        }
      },
    }),
  ),
  onOutput(
    {
      name: 'an output middleware that keeps the deadline to itself',
      breaks: 'the deadline of a send reaches the publisher behind it',
    },
    inner => ({ send: messages => inner.send(messages, new AbortController().signal) }),
  ),
  onOutput(
    {
      name: 'an output middleware that swallows flush',
      breaks: 'flush and status reach the publisher behind it',
    },
    () => ({ flush: async () => {} }),
  ),
  onOutput(
    {
      name: 'an output middleware that does not close what it wraps',
      breaks: 'close closes the publisher behind it',
      alsoBreaks: ['a closed output sends nothing'],
    },
    () => ({ close: async () => {} }),
  ),
  onOutput(
    {
      name: 'an output middleware that writes into payloads',
      breaks: 'a batch of none, of one and of many is answered by position',
    },
    inner => ({
      async send(messages, signal) {
        const outcomes = await inner.send(messages, signal)
        // Where the publisher has a copy only the fingerprints of the suite can tell.
        if (messages.length === 100) messages[0]?.payload.fill(0)
        return outcomes
      },
    }),
  ),
]

const inputFaults: readonly FaultyMiddleware[] = [
  onInput(
    {
      name: 'an input middleware that commits twice',
      breaks: 'outcomes reach the batch behind it once, at their positions',
    },
    inner =>
      changedCommit(inner, async (batch, outcomes) => {
        await batch.commit(outcomes)
        await batch.commit(outcomes)
      }),
  ),
  onInput(
    {
      name: 'an input middleware that mixes up outcomes',
      breaks: 'outcomes reach the batch behind it once, at their positions',
      alsoBreaks: [
        'after a failure an ordered input begins again at the message that failed',
        'of a batch that failed in part only the failed messages come again',
        'a request that failed is answered with a failure',
        'a reply reaches the one who asked, at the position of the request',
      ],
    },
    inner =>
      changedCommit(inner, (batch, outcomes) =>
        batch.commit(outcomes === ALL_ACKED ? outcomes : [...outcomes].reverse()),
      ),
  ),
  onInput(
    {
      name: 'an input middleware that acknowledges open batches at close',
      breaks: 'a batch that is abandoned gets no commit',
      alsoBreaks: [
        'a commit after close acknowledges nothing',
        'a commit after close is refused',
        'a redelivered message keeps its id',
        'an ordered input stores no position beyond an open message',
        'batches may be committed in any order, and side by side',
        'what was not committed at close comes back',
      ],
    },
    inner => {
      const open = new Set<() => Promise<void>>()
      const outer = changedBatches(inner, batch => {
        const acknowledge = (): Promise<void> => batch.commit(ALL_ACKED)
        open.add(acknowledge)
        return {
          messages: batch.messages,
          async commit(outcomes) {
            if (open.delete(acknowledge)) await batch.commit(outcomes)
          },
        }
      })
      return changedConsumer(outer, {
        async close() {
          for (const acknowledge of open) await acknowledge().catch(() => undefined)
          open.clear()
          await inner.close()
        },
      })
    },
  ),
  onInput(
    {
      name: 'an input middleware that swallows a failed commit',
      breaks: 'a commit that is not sure is told',
      alsoBreaks: [
        'a commit after close is refused',
        'a commit tells the truth after the connection was cut',
        'a commit tells the truth after the server was restarted',
        'a commit with the wrong number of outcomes is a TypeError',
      ],
    },
    inner => changedCommit(inner, (batch, outcomes) => batch.commit(outcomes).catch(() => undefined)),
  ),
  onInput(
    {
      name: 'an input middleware that strips metadata about the hop',
      breaks: 'a message comes on with its id, its metadata and its null payload',
      alsoBreaks: ['an input stamps its position when it is asked to'],
    },
    inner =>
      changedBatches(inner, batch => ({
        messages: batch.messages.map(message => message.withoutMetadata(isSource)),
        commit: outcomes => batch.commit(outcomes),
      })),
  ),
  onInput(
    {
      name: 'an input middleware that takes the end for an error',
      breaks: 'errors and the end of the input come through as they are',
      alsoBreaks: [
        'a draining input says that there is nothing',
        'a draining input hands out everything before it ends',
        'an input can be asked again after its end',
      ],
    },
    inner =>
      changedConsumer(inner, {
        async receive(limit, signal) {
          try {
            return await inner.receive(limit, signal)
          } catch (error) {
            if (!EndOfStream.is(error)) throw error
            throw new MqbError({
              kind: 'connection',
              code: 'MQB_REFERENCE_FAULT',
              what: 'it ended',
              cause: error,
            })
          }
        },
      }),
  ),
  onInput(
    {
      name: 'an input middleware that keeps pin to itself',
      breaks: 'pin and status reach the consumer behind it',
    },
    inner => changedConsumer(inner, { pin: async () => {} }),
  ),
  onInput(
    {
      name: 'an input middleware that does not close what it wraps',
      breaks: 'close closes the consumer behind it',
      alsoBreaks: [
        'a closed input receives nothing',
        'a commit after close acknowledges nothing',
        'a commit after close is refused',
        'a redelivered message keeps its id',
        'batches may be committed in any order, and side by side',
        'close ends a receive that waits',
        'what was not committed at close comes back',
      ],
    },
    inner => changedConsumer(inner, { close: async () => {} }),
  ),
]

/** Every middleware that breaks one rule; each test of a middleware alone is broken by at least one of them. */
export const faultyMiddlewares: readonly FaultyMiddleware[] = [...outputFaults, ...inputFaults]
