import {
  ALL_ACKED,
  ack,
  assertOutcomeCount,
  failure,
  MqbError,
  type Outcome,
  type Outcomes,
  outcomeList,
  settles,
} from '@mqb/core'
import {
  changedBatches,
  changedCommit,
  changedConsumer,
  type FaultyConnector,
  faulty,
} from './faulty-connector.ts'

const comesBack = 'what was not committed at close comes back'
const afterClose = 'a commit after close acknowledges nothing'
const failedForNow = 'a message that failed for now comes again'
const failedByLoss = 'a message that failed by a lost connection comes again'
const failedForGood = 'a message that failed for good does not come again'
const partly = 'of a batch that failed in part only the failed messages come again'
const anyOrder = 'batches may be committed in any order, and side by side'
const sameId = 'a redelivered message keeps its id'
const committedOnce = 'a committed batch does not come again'
const everyReason = 'every reason of an ack settles'
const beginsAgain = 'after a failure an ordered input begins again at the message that failed'
const noPositionBeyond = 'an ordered input stores no position beyond an open message'
const inputAfterCut = 'an input loses nothing after the connection was cut'
const inputAfterRestart = 'an input loses nothing after the server was restarted'

const later = (): Outcome =>
  failure(new MqbError({ kind: 'retryable', code: 'MQB_REFERENCE_FAULT', what: 'comes again by mistake' }))

/** An input that tells the source other outcomes. */
function telling(
  fault: {
    readonly name: string
    readonly breaks: string
    readonly alsoBreaks?: readonly string[]
    readonly config?: { readonly order: 'ordered' }
  },
  change: (outcomes: readonly Outcome[]) => Outcomes,
): FaultyConnector {
  return faulty({
    ...fault,
    consumer: inner =>
      changedCommit(inner, (batch, outcomes) => {
        assertOutcomeCount(outcomes, batch.messages.length)
        return batch.commit(change(outcomeList(outcomes, batch.messages.length)))
      }),
  })
}

const failedAs =
  (kind: string) =>
  (outcome: Outcome): boolean =>
    outcome.kind === 'failure' && outcome.error.kind === kind

export const committingFaults: readonly FaultyConnector[] = [
  faulty({
    name: 'an input that takes any number of outcomes',
    breaks: 'a commit with the wrong number of outcomes is a TypeError',
    consumer: inner =>
      changedCommit(inner, (batch, outcomes) =>
        batch.commit(
          outcomes === ALL_ACKED ? outcomes : batch.messages.map((_, index) => outcomes[index] ?? ack()),
        ),
      ),
  }),
  faulty({
    name: 'an input that does not tell the source that all was delivered',
    breaks: committedOnce,
    alsoBreaks: [anyOrder],
    consumer: inner =>
      changedCommit(inner, async (batch, outcomes) => {
        if (outcomes !== ALL_ACKED || !inner.status().healthy) await batch.commit(outcomes)
      }),
  }),
  faulty({
    name: 'an input that acknowledges when it receives',
    breaks: comesBack,
    alsoBreaks: [
      afterClose,
      failedForNow,
      failedByLoss,
      partly,
      sameId,
      anyOrder,
      inputAfterCut,
      inputAfterRestart,
    ],
    consumer: inner =>
      changedConsumer(inner, {
        async receive(limit, signal) {
          const batch = await inner.receive(limit, signal)
          await batch.commit(ALL_ACKED)
          let open = true
          return {
            messages: batch.messages,
            async commit(outcomes) {
              assertOutcomeCount(outcomes, batch.messages.length)
              // Asks the reference whether it is still open, with a batch that is settled already.
              if (open) await batch.commit(ALL_ACKED)
              open = false
            },
          }
        },
      }),
  }),
  telling(
    { name: 'an input that drops what failed for now', breaks: failedForNow, alsoBreaks: [partly, anyOrder] },
    outcomes => outcomes.map(outcome => (failedAs('retryable')(outcome) ? ack() : outcome)),
  ),
  telling({ name: 'an input that drops what failed by a lost connection', breaks: failedByLoss }, outcomes =>
    outcomes.map(outcome => (failedAs('connection')(outcome) ? ack() : outcome)),
  ),
  telling({ name: 'an input that asks again for what failed for good', breaks: failedForGood }, outcomes =>
    outcomes.map(outcome => (failedAs('permanent')(outcome) ? later() : outcome)),
  ),
  telling({ name: 'an input that knows only deliveries as acks', breaks: everyReason }, outcomes =>
    outcomes.map(outcome => (outcome.kind === 'ack' && outcome.as !== 'delivered' ? later() : outcome)),
  ),
  telling({ name: 'an input that returns a whole batch for one failure', breaks: partly }, outcomes =>
    outcomes.length === 6 && outcomes.some(outcome => !settles(outcome)) ? outcomes.map(later) : outcomes,
  ),
  telling({ name: 'an input that mixes up positions', breaks: partly }, outcomes =>
    outcomes.length === 6 ? [...outcomes].reverse() : outcomes,
  ),
  faulty({
    name: 'an input that gives a fresh id to what comes again',
    breaks: sameId,
    consumer: inner =>
      changedBatches(inner, batch => ({
        messages: batch.messages.map(message => message.withId(crypto.randomUUID())),
        commit: outcomes => batch.commit(outcomes),
      })),
  }),
  faulty({
    name: 'an input whose commits wait for older batches',
    breaks: anyOrder,
    consumer(inner) {
      const open: object[] = []
      return changedBatches(inner, batch => {
        if (batch.messages.length > 0) open.push(batch)
        return {
          messages: batch.messages,
          async commit(outcomes) {
            while (
              open.length > 0 &&
              open[0] !== batch &&
              batch.messages.length > 0 &&
              inner.status().healthy
            )
              await new Promise(resolve => setTimeout(resolve, 5))
            open.shift()
            await batch.commit(outcomes)
          },
        }
      })
    },
  }),
  faulty({
    name: 'an input whose commits wait for a receive',
    breaks: 'a commit does not wait for a receive that waits',
    consumer(inner) {
      let receiving: Promise<unknown> = Promise.resolve()
      return changedConsumer(inner, {
        async receive(limit, signal) {
          const received = inner.receive(limit, signal)
          receiving = received.catch(() => undefined)
          const batch = await received
          return {
            messages: batch.messages,
            async commit(outcomes) {
              await receiving
              await batch.commit(outcomes)
            },
          }
        },
      })
    },
  }),
  faulty({
    name: 'an ordered input that stores the position of what it has handed out',
    breaks: noPositionBeyond,
    alsoBreaks: [comesBack, afterClose, sameId, inputAfterCut, inputAfterRestart],
    config: { order: 'ordered' },
    consumer(inner, { channel }) {
      let closed = false
      return changedConsumer(inner, {
        async close() {
          // Whatever its batches said, the end of what it read becomes the position.
          const read = channel.stored.length - inner.status().pending!
          if (!closed) channel.committed = Math.max(channel.committed, read)
          closed = true
          await inner.close()
        },
      })
    },
  }),
  telling(
    {
      name: 'an ordered input that passes over what failed',
      breaks: beginsAgain,
      config: { order: 'ordered' },
    },
    outcomes => outcomes.map(() => ack()),
  ),
  faulty({
    name: 'an input that forgets what it lent when its connection is lost',
    breaks: [inputAfterCut, inputAfterRestart],
    consumer(inner, { channel }) {
      const lent = new Set<string>()
      channel.connection.addEventListener('abort', () => {
        const kept = channel.ready.filter(entry => !lent.has(entry.message.id))
        channel.ready.splice(0, channel.ready.length, ...kept)
      })
      return changedBatches(inner, batch => {
        for (const message of batch.messages) lent.add(message.id)
        return batch
      })
    },
  }),
  faulty({
    name: 'an input whose commit looks fine although its connection is lost',
    breaks: [
      'a commit tells the truth after the connection was cut',
      'a commit tells the truth after the server was restarted',
    ],
    consumer(inner, { channel }) {
      const { connection } = channel
      return changedCommit(inner, async (batch, outcomes) => {
        if (!connection.aborted) await batch.commit(outcomes)
      })
    },
  }),
]
