import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { Message, outcomeAt } from '@mqb/core'
import { numberedMessages } from '../../fakes/messages.ts'
import { settlesWithin, within } from '../../runner/within.ts'
import { assertIncludesPayloads, assertSamePayloads } from '../compare.ts'
import { connectorTest } from '../connector-test.ts'
import { assertDelivered, type World } from '../world.ts'

/** Cuts messages into batches of ten. */
function tens(messages: readonly Message[]): Message[][] {
  const batches: Message[][] = []
  for (let at = 0; at < messages.length; at += 10) batches.push(messages.slice(at, at + 10))
  return batches
}

/** Sends batches side by side, started in order, and reads what arrives. */
async function sendTogether(world: World, messages: readonly Message[]): Promise<Message[]> {
  await world.listen()
  const publisher = await world.openPublisher()
  const sends = tens(messages).map(batch => world.send(publisher, batch))
  const answered = Promise.all(sends)
  answered.catch(() => undefined)
  if (!world.sendsWait) {
    for (const outcomes of await answered) assertDelivered(outcomes, 10)
    await within(publisher.flush(), world.limits.patienceMs, 'flush')
  }
  const received = await world.take(messages.length)
  await within(answered, world.limits.patienceMs, 'send')
  return received
}

export const sendingTests = [
  connectorTest({
    name: 'sends may overlap',
    rule: 'send overlaps up to the concurrency of the route, unless orderedPublish is serial',
    needs: ['output', 'take'],
    when: ({ output }) =>
      output?.orderedPublish === 'serial' ? 'capability `orderedPublish` is serial' : undefined,
    async run(world) {
      const messages = numberedMessages(40)
      assertSamePayloads(await sendTogether(world, messages), messages, false)
    },
  }),
  connectorTest({
    name: 'overlapping sends that were started in order keep it',
    rule: 'orderedPublish pipelined: sends start in order and may overlap, the sink sees that order',
    needs: ['output', 'take'],
    when: ({ output }) =>
      output?.orderedPublish === 'pipelined' ? undefined : 'capability `orderedPublish` is not pipelined',
    async run(world) {
      const messages = numberedMessages(40)
      assertSamePayloads(await sendTogether(world, messages), messages, true)
    },
  }),
  connectorTest({
    name: 'sends one after the other keep their order',
    rule: 'orderedPublish serial: one send at a time, the sink sees that order',
    needs: ['output', 'take'],
    when: ({ output }) =>
      output?.orderedPublish === 'serial' ? undefined : 'capability `orderedPublish` is not serial',
    async run(world) {
      const messages = numberedMessages(40)
      await world.listen()
      const publisher = await world.openPublisher()
      const sending = (async () => {
        for (const batch of tens(messages)) assertDelivered(await world.send(publisher, batch), 10)
        await within(publisher.flush(), world.limits.patienceMs, 'flush')
      })()
      sending.catch(() => undefined)
      if (!world.sendsWait) await sending
      const received = await world.take(messages.length)
      await within(sending, world.limits.patienceMs, 'send')
      assertSamePayloads(received, messages, true)
    },
  }),
  connectorTest({
    name: 'an ordered output writes nothing behind a message that failed for now',
    rule: 'an ordered publisher that fails message i has written nothing after i and reports everything after i as retryable',
    needs: ['output', 'take', 'poison'],
    when: ({ output }) => (output?.orderedPublish === 'no' ? 'capability `orderedPublish` is no' : undefined),
    async run(world) {
      const publisher = await world.openPublisher()
      const messages = numberedMessages(4)
      const batch = [...messages.slice(0, 2), world.hooks.poison!(), ...messages.slice(2)]
      const { outcomes, received } = await world.exchange(publisher, batch, 2)
      const kinds = batch.map((_, index) => {
        const outcome = outcomeAt(outcomes, index)
        return outcome.kind === 'failure' ? outcome.error.kind : 'delivered'
      })
      assert.deepEqual(kinds.slice(0, 2), ['delivered', 'delivered'], 'before the failure')
      assert.ok(kinds[2] === 'retryable' || kinds[2] === 'connection', `the failure is ${kinds[2]}`)
      assert.deepEqual(kinds.slice(3), ['retryable', 'retryable'], 'behind the failure')
      assertSamePayloads(received, messages.slice(0, 2), true)
    },
  }),
  connectorTest({
    name: 'a send after an aborted send is answered',
    rule: 'the signal of send is the hard deadline; a publisher survives a next send while the aborted one still runs',
    needs: ['output', 'take'],
    async run(world) {
      await world.listen()
      const publisher = await world.openPublisher()
      const deadline = new AbortController()
      const aborted = publisher.send(numberedMessages(3), deadline.signal).catch(() => undefined)
      deadline.abort(new Error('the deadline is over'))
      const messages = numberedMessages(3, 3)
      const sending = world.send(publisher, messages)
      sending.catch(() => undefined)
      if (!world.sendsWait) assertDelivered(await sending, messages.length)
      await within(publisher.flush(), world.limits.patienceMs, 'flush')
      // The aborted messages may have arrived or not: both are allowed.
      const received = await takeUntil(world, messages)
      assertIncludesPayloads(received, messages)
      assertDelivered(await within(sending, world.limits.patienceMs, 'send'), messages.length)
      await settlesWithin(aborted, world.limits.quietMs)
    },
  }),
  connectorTest({
    name: 'flush brings out what was sent, and asks nothing else',
    rule: 'flush asks every layer to stop holding messages back; it may come at any time and twice',
    needs: ['output', 'take'],
    async run(world) {
      await world.listen()
      const publisher = await world.openPublisher()
      const { patienceMs } = world.limits
      await within(publisher.flush(), patienceMs, 'a flush with nothing to do')
      const messages = numberedMessages(3)
      const sending = world.send(publisher, messages)
      sending.catch(() => undefined)
      await within(Promise.all([publisher.flush(), publisher.flush()]), patienceMs, 'a flush during a send')
      if (!world.sendsWait) assertDelivered(await sending, messages.length)
      assertSamePayloads(await world.take(messages.length), messages, false)
      await within(sending, patienceMs, 'send')
      await within(publisher.flush(), patienceMs, 'flush')
    },
  }),
  connectorTest({
    name: 'sends leave no listener on their signal',
    rule: 'one signal serves many sends; each takes its listeners away',
    needs: ['output', 'take'],
    async run(world) {
      await world.listen()
      const publisher = await world.openPublisher()
      const { signal } = new AbortController()
      for (let round = 0; round < 8; round++) {
        const sending = world.send(publisher, numberedMessages(1, round), signal)
        sending.catch(() => undefined)
        if (world.sendsWait) await world.take(1)
        await within(sending, world.limits.patienceMs, 'send')
      }
      const left = getEventListeners(signal, 'abort').length
      assert.ok(left <= 1, `${left} listeners are on the signal after 8 sends`)
    },
  }),
  connectorTest({
    name: 'what was answered with an ack is at the sink after close',
    rule: 'a positive answer means that the sink has the message',
    needs: ['output', 'take'],
    when: ({ output }) => (output?.acks === true ? undefined : 'capability `acks` of the output is false'),
    async run(world) {
      await world.listen()
      const publisher = await world.openPublisher()
      const messages = numberedMessages(5)
      if (world.sendsWait) {
        const { received } = await world.exchange(publisher, messages)
        assertSamePayloads(received, messages, false)
        return
      }
      assertDelivered(await world.send(publisher, messages), messages.length)
      // No flush: the answers alone have to be enough.
      await settlesWithin(publisher.close(), world.limits.closeMs)
      assertSamePayloads(await world.take(messages.length), messages, false)
    },
  }),
  connectorTest({
    name: 'a message that is written twice is there once',
    rule: 'idempotent by_id: writing the same message again leaves one',
    needs: ['output', 'take'],
    when: ({ output }) =>
      output?.idempotent === 'by_id' ? undefined : 'capability `idempotent` is not by_id',
    async run(world) {
      await world.listen()
      const publisher = await world.openPublisher()
      const messages = numberedMessages(3)
      await world.send(publisher, messages)
      await world.send(publisher, [messages[1]!, ...numberedMessages(1, 3)])
      await within(publisher.flush(), world.limits.patienceMs, 'flush')
      assertSamePayloads(await world.take(4), [...messages, new Message('{"n":"3"}')], false)
    },
  }),
]

/** Reads until all of `wanted` have come, or the patience is over. */
async function takeUntil(world: World, wanted: readonly Message[]): Promise<Message[]> {
  const received = await world.take(wanted.length)
  const isIn = (message: Message): boolean => received.some(other => other.text() === message.text())
  while (!wanted.every(isIn)) received.push(...(await world.take(1)))
  return received
}
