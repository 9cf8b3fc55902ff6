import assert from 'node:assert/strict'
import {
  type AckReason,
  ALL_ACKED,
  ack,
  type Batch,
  type ErrorKind,
  failure,
  type Message,
  MqbError,
  type Outcome,
  type Outcomes,
} from '@mqb/core'
import { numberedMessages } from '../../fakes/messages.ts'
import { settlesWithin, within } from '../../runner/within.ts'
import { assertIncludesPayloads, assertSamePayloads } from '../compare.ts'
import { both, connectorTest, redelivers, remembers } from '../connector-test.ts'
import { type Receiver, wideLimit } from '../receiver.ts'
import type { World } from '../world.ts'

type Ends = Parameters<typeof redelivers>[0]

const anyOrder = ({ input }: Ends): string | undefined =>
  input?.commitOrder === 'any' ? undefined : 'capability `commitOrder` is ordered'
const inOrder = ({ input }: Ends): string | undefined =>
  input?.commitOrder === 'ordered' ? undefined : 'capability `commitOrder` is any'

function failed(kind: ErrorKind): Outcome {
  return failure(new MqbError({ kind, code: 'MQB_TESTKIT_FAILURE', what: `the test answered ${kind}` }))
}

async function commit(batch: Batch, outcomes: Outcomes, world: World): Promise<void> {
  await within(batch.commit(outcomes), world.limits.patienceMs, 'commit')
}

/** Commits batches by one list of outcomes over all of their messages. */
async function commitAll(
  batches: readonly Batch[],
  outcomes: readonly Outcome[],
  world: World,
): Promise<void> {
  let from = 0
  for (const batch of batches) {
    await commit(batch, outcomes.slice(from, from + batch.messages.length), world)
    from += batch.messages.length
  }
}

async function closed(receiver: Receiver, world: World): Promise<void> {
  await settlesWithin(receiver.consumer.close(), world.limits.closeMs)
}

/** What the source still has for us, asked by a fresh input. */
async function leftover(world: World): Promise<Message[]> {
  return (await world.openReceiver()).rest()
}

const nackRule = 'a message whose outcome does not settle it stays with the source and comes again'
const settleRule =
  'an ack for any reason, a reply and a permanent failure settle a message: it does not come again'

/** Answers one of three messages with `outcome` and gives what comes again. */
async function comesAgain(
  world: World,
  outcome: Outcome,
): Promise<{ messages: Message[]; again: Message[] }> {
  const messages = numberedMessages(3)
  const receiver = await world.openReceiver()
  await world.put(messages)
  const batches = await receiver.lend(3)
  const order = batches.flatMap(batch => batch.messages)
  await commitAll(batches, [ack(), outcome, ack()], world)
  return { messages: order, again: await receiver.take(1) }
}

export const committingTests = [
  connectorTest({
    name: 'a commit with the wrong number of outcomes is a TypeError',
    rule: 'outcomes have the length of the batch, else TypeError',
    needs: ['input', 'put'],
    async run(world) {
      const receiver = await world.openReceiver()
      await world.put(numberedMessages(1))
      const batch = await receiver.must()
      const tooMany = [...batch.messages.map(() => ack()), ack()]
      await assert.rejects(
        async () => batch.commit(tooMany),
        TypeError,
        'one outcome too many must be refused',
      )
      await world.put(numberedMessages(1, 1))
      const next = await receiver.must()
      await assert.rejects(async () => next.commit([]), TypeError, 'no outcomes must be refused')
    },
  }),
  connectorTest({
    name: 'a committed batch does not come again',
    rule: 'one commit is enough; what it settled is gone from the source',
    needs: ['input', 'put'],
    when: both(redelivers, remembers),
    async run(world) {
      const receiver = await world.openReceiver()
      await world.put(numberedMessages(3))
      for (const batch of await receiver.lend(3)) await commit(batch, ALL_ACKED, world)
      await closed(receiver, world)
      assertSamePayloads(await leftover(world), [], false)
    },
  }),
  connectorTest({
    name: 'what was not committed at close comes back',
    rule: 'close gives uncommitted batches back to the source',
    needs: ['input', 'put'],
    when: redelivers,
    async run(world) {
      const messages = numberedMessages(5)
      const receiver = await world.openReceiver()
      await world.put(messages)
      await receiver.lend(messages.length, { ...wideLimit, messages: 2 })
      await closed(receiver, world)
      const reopened = await world.openReceiver()
      assertSamePayloads(await reopened.take(messages.length), messages, false)
    },
  }),
  connectorTest({
    name: 'a message that failed for now comes again',
    rule: nackRule,
    needs: ['input', 'put'],
    when: both(redelivers, anyOrder),
    async run(world) {
      const { messages, again } = await comesAgain(world, failed('retryable'))
      assertSamePayloads(again, [messages[1]!], false)
    },
  }),
  connectorTest({
    name: 'a message that failed by a lost connection comes again',
    rule: nackRule,
    needs: ['input', 'put'],
    when: both(redelivers, anyOrder),
    async run(world) {
      const { messages, again } = await comesAgain(world, failed('connection'))
      assertSamePayloads(again, [messages[1]!], false)
    },
  }),
  connectorTest({
    name: 'after a failure an ordered input begins again at the message that failed',
    rule: 'the leading run of settled outcomes counts; at the latest after reopening, the first unsettled message is next',
    needs: ['input', 'put'],
    when: both(redelivers, remembers, inOrder),
    async run(world) {
      const messages = numberedMessages(6)
      const receiver = await world.openReceiver()
      await world.put(messages)
      const batches = await receiver.lend(messages.length)
      await commitAll(batches, [ack(), ack(), failed('retryable'), ack(), ack(), ack()], world)
      const again = await receiver.rest()
      await closed(receiver, world)
      const reopened = await world.openReceiver()
      again.push(...(again.length === 0 ? await reopened.take(1) : await reopened.rest()))
      assertIncludesPayloads(again, [messages[2]!])
      for (const settled of messages.slice(0, 2))
        assert.ok(!again.some(message => message.text() === settled.text()), `${settled.text()} came again`)
      // Those behind it were answered too, but the position could not pass the failed one.
      assert.equal(again[0]!.text(), messages[2]!.text(), 'the first message after a failure')
    },
  }),
  connectorTest({
    name: 'an ordered input stores no position beyond an open message',
    rule: 'a commit implies everything before it: younger batches move nothing while an older one is open or failed',
    needs: ['input', 'put'],
    when: both(redelivers, remembers, inOrder),
    async run(world) {
      const messages = numberedMessages(6)
      const receiver = await world.openReceiver()
      await world.put(messages)
      const batches = await receiver.lend(messages.length, { ...wideLimit, messages: 2 })
      await commit(batches[0]!, ALL_ACKED, world)
      await closed(receiver, world)
      const open = messages.slice(batches[0]!.messages.length)
      assertSamePayloads(await (await world.openReceiver()).take(open.length), open, true)
    },
  }),
  connectorTest({
    name: 'a message that failed for good does not come again',
    rule: settleRule,
    needs: ['input', 'put'],
    when: both(redelivers, remembers),
    async run(world) {
      const receiver = await world.openReceiver()
      await world.put(numberedMessages(3))
      await commitAll(await receiver.lend(3), [ack(), failed('permanent'), ack()], world)
      assertSamePayloads(await receiver.rest(), [], false)
      await closed(receiver, world)
      assertSamePayloads(await leftover(world), [], false)
    },
  }),
  connectorTest({
    name: 'every reason of an ack settles',
    rule: settleRule,
    needs: ['input', 'put'],
    when: both(redelivers, remembers),
    async run(world) {
      const reasons: readonly AckReason[] = [
        'delivered',
        'handled',
        'filtered',
        'duplicate',
        'joined',
        'dead_lettered',
        'dropped',
      ]
      const receiver = await world.openReceiver()
      await world.put(numberedMessages(reasons.length))
      await commitAll(await receiver.lend(reasons.length), reasons.map(ack), world)
      await closed(receiver, world)
      assertSamePayloads(await leftover(world), [], false)
    },
  }),
  connectorTest({
    name: 'of a batch that failed in part only the failed messages come again',
    rule: 'outcomes count by position, each message for itself',
    needs: ['input', 'put'],
    when: both(redelivers, anyOrder),
    async run(world) {
      const receiver = await world.openReceiver()
      await world.put(numberedMessages(6))
      const batches = await receiver.lend(6)
      const order = batches.flatMap(batch => batch.messages)
      const bad = new Set([0, 3, 5])
      await commitAll(
        batches,
        order.map((_, index) => (bad.has(index) ? failed('retryable') : ack())),
        world,
      )
      assertSamePayloads(
        await receiver.take(bad.size),
        order.filter((_, index) => bad.has(index)),
        false,
      )
    },
  }),
  connectorTest({
    name: 'a redelivered message keeps its id',
    rule: 'where stableId is promised, a message that is read again has the id that it had before',
    needs: ['input', 'put'],
    when: ends =>
      redelivers(ends) ?? (ends.input?.stableId === true ? undefined : 'capability `stableId` is false'),
    async run(world) {
      const receiver = await world.openReceiver()
      await world.put(numberedMessages(3))
      const batches = await receiver.lend(3)
      const before = new Map(
        batches.flatMap(batch => batch.messages.map(message => [message.text(), message.id])),
      )
      await closed(receiver, world)
      for (const message of await (await world.openReceiver()).take(3))
        assert.equal(message.id, before.get(message.text()), `id of ${message.text()}`)
    },
  }),
  connectorTest({
    name: 'batches may be committed in any order, and side by side',
    rule: 'where commitOrder is any, commits overlap and come in any order',
    needs: ['input', 'put'],
    when: both(redelivers, anyOrder),
    async run(world) {
      const receiver = await world.openReceiver()
      await world.put(numberedMessages(4))
      const batches = await receiver.lend(4, { ...wideLimit, messages: 1 })
      const [first, second, third, fourth] = batches as [Batch, Batch, Batch, Batch]
      await commit(fourth, ALL_ACKED, world)
      await Promise.all([commit(third, ALL_ACKED, world), commit(second, [failed('retryable')], world)])
      assertSamePayloads(await receiver.take(1), second.messages, false)
      await closed(receiver, world)
      assertSamePayloads(await (await world.openReceiver()).take(1), first.messages, false)
    },
  }),
  connectorTest({
    name: 'a commit does not wait for a receive that waits',
    rule: 'commit may overlap receive',
    needs: ['input', 'put'],
    async run(world) {
      const receiver = await world.openReceiver()
      await world.put(numberedMessages(1))
      const batch = await receiver.must()
      const stop = new AbortController()
      const waiting = receiver.consumer.receive(wideLimit, stop.signal).catch(() => undefined)
      await commit(batch, ALL_ACKED, world)
      stop.abort(new Error('stop waiting'))
      await settlesWithin(waiting, world.limits.patienceMs)
    },
  }),
]
