import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import {
  ALL_ACKED,
  type Consumer,
  EndOfStream,
  type EndpointStatus,
  MqbError,
  type Publisher,
} from '@mqb/core'
import { numberedMessages } from '../../fakes/messages.ts'
import { settlesWithin, within } from '../../runner/within.ts'
import { assertIncludesPayloads } from '../compare.ts'
import { connectorTest, redelivers } from '../connector-test.ts'
import { wideLimit } from '../receiver.ts'
import { assertLeavesNothing } from '../resources.ts'
import type { World } from '../world.ts'

const signal = (): AbortSignal => new AbortController().signal

async function close(end: Consumer | Publisher, world: World): Promise<void> {
  const { closeMs } = world.limits
  await within(end.close(), closeMs, 'close')
}

function assertStatus(end: Consumer | Publisher): void {
  const status: EndpointStatus = end.status()
  assert.equal(typeof status.healthy, 'boolean', '`healthy` must be a boolean')
  assert.equal(typeof status.target, 'string', '`target` must be a text')
  assert.notEqual(status.target, '', '`target` must say what it is connected to')
  for (const number of ['pending', 'capacity'] as const)
    if (status[number] !== undefined)
      assert.ok(
        Number.isFinite(status[number]) && status[number] >= 0,
        `\`${number}\` must be a number from 0, got ${status[number]}`,
      )
  if (status.error !== undefined) assert.equal(typeof status.error, 'string', '`error` must be a text')
  if (status.details !== undefined)
    assert.deepEqual(
      JSON.parse(JSON.stringify(status.details)),
      status.details,
      '`details` must hold JSON values',
    )
}

async function assertClosed(call: () => Promise<unknown>, what: string, world: World): Promise<void> {
  const error = await within(
    call().then(
      () => undefined,
      (thrown: unknown) => thrown,
    ),
    world.limits.patienceMs,
    `${what} after close`,
  )
  assert.ok(MqbError.is(error), `${what} after close must reject with an MqbError, got ${String(error)}`)
  assert.equal(error.code, 'MQB_CLOSED', `code of the error of ${what} after close`)
  assert.equal(error.kind, 'connection', `kind of the error of ${what} after close`)
}

const closeRule =
  'close may come early and twice, never throws, ends within 5 s, does not wait for uncommitted batches'

export const lifecycleTests = [
  connectorTest({
    name: 'an input tells its state before and after close',
    rule: 'status() is synchronous, never throws, and has the shape of EndpointStatus',
    needs: ['input'],
    async run(world) {
      const consumer = await world.openConsumer()
      assertStatus(consumer)
      await settlesWithin(consumer.close(), world.limits.closeMs)
      assertStatus(consumer)
    },
  }),
  connectorTest({
    name: 'an output tells its state before and after close',
    rule: 'status() is synchronous, never throws, and has the shape of EndpointStatus',
    needs: ['output'],
    async run(world) {
      const publisher = await world.openPublisher()
      assertStatus(publisher)
      await settlesWithin(publisher.close(), world.limits.closeMs)
      assertStatus(publisher)
    },
  }),
  ...(['input', 'output'] as const).map(side =>
    connectorTest({
      name: `opening an ${side} ends when it is no longer wanted`,
      rule: 'the signal of an opening aborts when the route no longer wants it: opening ends, either way, and leaves nothing',
      needs: [side],
      async run(world) {
        const opening = world.openingFor(side, { signal: AbortSignal.abort(new Error('no longer wanted')) })
        const { patienceMs, closeMs } = world.limits
        const end = await within(
          world.tryOpen(side, opening),
          patienceMs,
          `opening an ${side} with an aborted signal`,
        )
        if (end !== undefined) await settlesWithin(end.close(), closeMs)
        assert.equal(opening.clock.pending, 0, 'timers of the clock still run')
      },
    }),
  ),
  connectorTest({
    name: 'an input closes early, and twice',
    rule: closeRule,
    needs: ['input'],
    async run(world) {
      const consumer = await world.openConsumer()
      await Promise.all([close(consumer, world), close(consumer, world)])
      await close(consumer, world)
    },
  }),
  connectorTest({
    name: 'an output closes early, and twice',
    rule: closeRule,
    needs: ['output'],
    async run(world) {
      const publisher = await world.openPublisher()
      await Promise.all([close(publisher, world), close(publisher, world)])
      await close(publisher, world)
    },
  }),
  connectorTest({
    name: 'close ends a receive that waits',
    rule: 'close may come at any time; a receive that it interrupts ends with MQB_CLOSED or with nothing',
    needs: ['input'],
    async run(world) {
      const consumer = await world.openConsumer()
      const waiting = consumer.receive(wideLimit, signal()).then(
        batch => batch.messages.length,
        (error: unknown) => error,
      )
      await settlesWithin(waiting, world.limits.quietMs)
      await settlesWithin(consumer.close(), world.limits.closeMs)
      const ended = await within(waiting, world.limits.patienceMs, 'a receive during close')
      assert.ok(
        ended === 0 || EndOfStream.is(ended) || (MqbError.is(ended) && ended.kind === 'connection'),
        `a receive during close gave ${String(ended)}`,
      )
    },
  }),
  connectorTest({
    name: 'close does not wait for a batch that is not committed',
    rule: closeRule,
    needs: ['input', 'put'],
    async run(world) {
      const receiver = await world.openReceiver()
      await world.put(numberedMessages(2))
      await receiver.must()
      await close(receiver.consumer, world)
    },
  }),
  connectorTest({
    name: 'a closed input receives nothing',
    rule: 'after close, receive rejects with kind connection, code MQB_CLOSED',
    needs: ['input'],
    async run(world) {
      const consumer = await world.openConsumer()
      await settlesWithin(consumer.close(), world.limits.closeMs)
      await assertClosed(async () => consumer.receive(wideLimit, signal()), 'receive', world)
    },
  }),
  connectorTest({
    name: 'a closed output sends nothing',
    rule: 'after close, send rejects with kind connection, code MQB_CLOSED',
    needs: ['output'],
    async run(world) {
      const publisher = await world.openPublisher()
      await settlesWithin(publisher.close(), world.limits.closeMs)
      await assertClosed(async () => publisher.send(numberedMessages(1), signal()), 'send', world)
    },
  }),
  connectorTest({
    name: 'a commit after close is refused',
    rule: 'after close, commit rejects with kind connection, code MQB_CLOSED',
    needs: ['input', 'put'],
    async run(world) {
      const receiver = await world.openReceiver()
      await world.put(numberedMessages(1))
      const batch = await receiver.must()
      await settlesWithin(receiver.consumer.close(), world.limits.closeMs)
      await assertClosed(async () => batch.commit(ALL_ACKED), 'commit', world)
    },
  }),
  connectorTest({
    name: 'a commit after close acknowledges nothing',
    rule: 'after close, receive, send and commit acknowledge nothing',
    needs: ['input', 'put'],
    when: redelivers,
    async run(world) {
      const messages = numberedMessages(2)
      const receiver = await world.openReceiver()
      await world.put(messages)
      const batches = await receiver.lend(messages.length)
      await settlesWithin(receiver.consumer.close(), world.limits.closeMs)
      for (const batch of batches) await batch.commit(ALL_ACKED).catch(() => undefined)
      const reopened = await world.openReceiver()
      assertIncludesPayloads(await reopened.take(messages.length), messages)
    },
  }),
  connectorTest({
    name: 'a closed input leaves nothing open',
    rule: 'close leaves no handle, no timer and no listener',
    needs: ['input'],
    async run(world) {
      await assertLeavesNothing(async () => {
        const opening = world.openingFor('input')
        const consumer = await world.openConsumer(opening)
        const stop = new AbortController()
        const waiting = consumer.receive(wideLimit, stop.signal).catch(() => undefined)
        await settlesWithin(waiting, 20)
        stop.abort()
        await settlesWithin(waiting, 200)
        await settlesWithin(consumer.close(), world.limits.closeMs)
        assert.equal(opening.clock.pending, 0, 'timers of the clock still run after close')
        assert.equal(
          getEventListeners(opening.signal, 'abort').length,
          0,
          'listeners are still on the signal of the opening',
        )
      }, 1_000)
    },
  }),
  connectorTest({
    name: 'a closed output leaves nothing open',
    rule: 'close leaves no handle, no timer and no listener',
    needs: ['output'],
    async run(world) {
      await world.listen()
      await assertLeavesNothing(async () => {
        const opening = world.openingFor('output')
        const publisher = await world.openPublisher(opening)
        if (!world.sendsWait) await world.send(publisher, numberedMessages(1))
        await settlesWithin(publisher.close(), world.limits.closeMs)
        assert.equal(opening.clock.pending, 0, 'timers of the clock still run after close')
        assert.equal(
          getEventListeners(opening.signal, 'abort').length,
          0,
          'listeners are still on the signal of the opening',
        )
      }, 1_000)
    },
  }),
]
