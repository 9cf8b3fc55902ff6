import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { ALL_ACKED, type Batch, type Consumer, EndOfStream, type Message, MqbError } from '@mqb/core'
import { numberedMessages } from '../../fakes/messages.ts'
import { becomesTrue, settlesWithin, within } from '../../runner/within.ts'
import { assertSamePayloads } from '../compare.ts'
import { connectorTest } from '../connector-test.ts'
import { wideLimit } from '../receiver.ts'
import type { World } from '../world.ts'

const abortRule =
  'the signal of receive means "stop waiting": it rejects with signal.reason and no message is lost'
const endRule =
  'with drain, an empty batch or EndOfStream is due within drainIdleMs of silence; what was taken before comes first'

/** Receives with a signal that stays quiet, until something comes; an empty batch is asked again. */
async function firstBatch(consumer: Consumer, world: World, limit = wideLimit): Promise<Batch> {
  const until = performance.now() + world.limits.patienceMs
  for (;;) {
    const batch = await within(
      consumer.receive(limit, new AbortController().signal),
      world.limits.patienceMs,
      'receive',
    )
    if (batch.messages.length > 0) return batch
    assert.ok(performance.now() < until, 'only empty batches came')
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}

type DrainStep = { readonly batch: Batch } | 'quiet'

/** One receive of a draining input: messages, or the word that there are none. */
async function drainStep(consumer: Consumer, world: World): Promise<DrainStep> {
  const { drainIdleMs, patienceMs } = world.limits
  try {
    const batch = await within(
      consumer.receive(wideLimit, new AbortController().signal),
      drainIdleMs + Math.min(patienceMs, 2_000),
      `a receive of a draining input (drainIdleMs ${drainIdleMs})`,
    )
    return batch.messages.length === 0 ? 'quiet' : { batch }
  } catch (error) {
    if (EndOfStream.is(error)) return 'quiet'
    throw error
  }
}

/** Until the source has been quiet; a source may be quiet for a moment before its first message. */
async function drain(consumer: Consumer, world: World, count: number): Promise<Message[]> {
  const messages: Message[] = []
  const until = performance.now() + world.limits.patienceMs
  for (;;) {
    const step = await drainStep(consumer, world)
    if (step === 'quiet') {
      if (messages.length >= count || performance.now() > until) return messages
      await new Promise(resolve => setTimeout(resolve, 5))
      continue
    }
    messages.push(...step.batch.messages)
    await step.batch.commit(ALL_ACKED)
  }
}

export const receivingTests = [
  connectorTest({
    name: 'a receive waits for the first message and takes what is there',
    rule: 'receive waits for the first message, then takes what is there without waiting for a full batch',
    needs: ['input', 'put'],
    async run(world) {
      const consumer = await world.openConsumer()
      const waiting = firstBatch(consumer, world)
      waiting.catch(() => undefined)
      await settlesWithin(waiting, 20)
      const messages = numberedMessages(1)
      await world.put(messages)
      const batch = await within(waiting, world.limits.patienceMs, 'a receive for which one message came')
      assertSamePayloads(batch.messages, messages, false)
      await batch.commit(ALL_ACKED)
    },
  }),
  connectorTest({
    name: 'a receive hands out no more messages than its limit',
    rule: '`messages` is the most that one receive hands out; the rest stays for the next',
    needs: ['input', 'put'],
    async run(world) {
      const messages = numberedMessages(7)
      const receiver = await world.openReceiver()
      await world.put(messages)
      const received: Message[] = []
      while (received.length < messages.length) {
        const batch = await receiver.must({ ...wideLimit, messages: 3 })
        assert.ok(batch.messages.length <= 3, `${batch.messages.length} messages came, the limit was 3`)
        received.push(...batch.messages)
        await receiver.commit(batch)
      }
      assertSamePayloads([...received, ...(await receiver.rest())], messages, false)
    },
  }),
  connectorTest({
    name: 'a receive stops filling after the message that crosses its byte limit',
    rule: 'filling stops after the message that crosses `bytes`; one larger message still comes, alone',
    needs: ['input', 'put'],
    async run(world) {
      const messages = numberedMessages(6)
      const bytes = messages[0]!.byteLength + 1
      const receiver = await world.openReceiver()
      await world.put(messages)
      const received: Message[] = []
      while (received.length < messages.length) {
        const batch = await receiver.must({ messages: 100, bytes })
        const before = batch.messages.slice(0, -1).reduce((sum, message) => sum + message.byteLength, 0)
        assert.ok(before < bytes, `${batch.messages.length} messages came although ${before} bytes were full`)
        received.push(...batch.messages)
        await receiver.commit(batch)
      }
      const alone = await (async () => {
        await world.put(numberedMessages(2, 6))
        return receiver.must({ messages: 100, bytes: 1 })
      })()
      assert.equal(alone.messages.length, 1, 'a message larger than the limit comes alone')
      assertSamePayloads(received, messages, false)
    },
  }),
  connectorTest({
    name: 'a receive of no messages takes nothing',
    rule: '`messages: 0` asks for an empty batch without touching the source',
    needs: ['input', 'put'],
    async run(world) {
      const messages = numberedMessages(2)
      const receiver = await world.openReceiver()
      await world.put(messages)
      const none = await within(
        receiver.consumer.receive({ messages: 0, bytes: 1_000 }, new AbortController().signal),
        world.limits.patienceMs,
        'a receive of no messages',
      )
      assert.equal(none.messages.length, 0)
      await within(none.commit([]), world.limits.patienceMs, 'the commit of an empty batch')
      assertSamePayloads(await receiver.take(messages.length), messages, false)
    },
  }),
  connectorTest({
    name: 'an aborted receive rejects with the reason',
    rule: abortRule,
    needs: ['input'],
    async run(world) {
      const consumer = await world.openConsumer()
      const reason = new Error('stop waiting')
      const until = performance.now() + world.limits.patienceMs
      for (;;) {
        const stop = new AbortController()
        const waiting = consumer.receive(wideLimit, stop.signal).then(
          () => 'a batch',
          (error: unknown) => error,
        )
        await settlesWithin(waiting, 10)
        stop.abort(reason)
        const ended = await within(waiting, world.limits.patienceMs, 'an aborted receive')
        if (ended === reason) return
        // An empty batch, or the end, may come at any time, and then there was nothing to abort.
        assert.ok(ended === 'a batch' || EndOfStream.is(ended), `it rejected with ${String(ended)}`)
        assert.ok(performance.now() < until, 'the receive never waited')
      }
    },
  }),
  connectorTest({
    name: 'a receive whose signal is aborted already does not wait',
    rule: abortRule,
    needs: ['input', 'put'],
    async run(world) {
      const messages = numberedMessages(2)
      const receiver = await world.openReceiver()
      await world.put(messages)
      const ended = await within(
        receiver.consumer.receive(wideLimit, AbortSignal.abort(new Error('stop'))).then(
          batch => batch,
          () => undefined,
        ),
        world.limits.patienceMs,
        'a receive with an aborted signal',
      )
      const early = ended?.messages ?? []
      if (early.length > 0) await ended!.commit(ALL_ACKED)
      assertSamePayloads(
        [...early, ...(await receiver.take(messages.length - early.length))],
        messages,
        false,
      )
    },
  }),
  connectorTest({
    name: 'aborting a receive loses no message',
    rule: abortRule,
    needs: ['input', 'put'],
    async run(world) {
      const messages = numberedMessages(40)
      const receiver = await world.openReceiver()
      const received: Message[] = []
      // Aborts fall before, during and after the arrival of messages.
      for (let round = 0; round < 20; round++) {
        const stop = new AbortController()
        const waiting = receiver.consumer.receive({ ...wideLimit, messages: 3 }, stop.signal).then(
          batch => batch,
          () => undefined,
        )
        const putting = world.put(messages.slice(round * 2, round * 2 + 2))
        for (let turn = 0; turn < round % 5; turn++) await new Promise<void>(resolve => setImmediate(resolve))
        stop.abort(new Error('stop waiting'))
        const batch = await within(waiting, world.limits.patienceMs, 'an aborted receive')
        await putting
        if (batch === undefined || batch.messages.length === 0) continue
        received.push(...batch.messages)
        await receiver.commit(batch)
      }
      received.push(...(await receiver.take(messages.length - received.length)))
      assertSamePayloads(received, messages, false)
    },
  }),
  connectorTest({
    name: 'receives leave no listener on their signal',
    rule: 'one signal serves many receives; each takes its listeners away',
    needs: ['input', 'put'],
    async run(world) {
      const consumer = await world.openConsumer()
      const { signal } = new AbortController()
      for (let round = 0; round < 8; round++) {
        const waiting = consumer.receive({ ...wideLimit, messages: 1 }, signal)
        await settlesWithin(waiting, 1)
        await world.put(numberedMessages(1, round))
        await (await within(waiting, world.limits.patienceMs, 'receive')).commit(ALL_ACKED)
      }
      await becomesTrue(() => getEventListeners(signal, 'abort').length <= 1, 500)
      const left = getEventListeners(signal, 'abort').length
      assert.ok(left <= 1, `${left} listeners are on the signal after 8 receives`)
    },
  }),
  connectorTest({
    name: 'a draining input says that there is nothing',
    rule: endRule,
    needs: ['input'],
    async run(world) {
      const consumer = await world.openConsumer(world.openingFor('input', { drain: true }))
      assert.equal(await drainStep(consumer, world), 'quiet')
    },
  }),
  connectorTest({
    name: 'a draining input hands out everything before it ends',
    rule: endRule,
    needs: ['input', 'put'],
    async run(world) {
      const messages = numberedMessages(25)
      const consumer = await world.openConsumer(world.openingFor('input', { drain: true }))
      await world.put(messages)
      assertSamePayloads(await drain(consumer, world, messages.length), messages, false)
    },
  }),
  connectorTest({
    name: 'an input can be asked again after its end',
    rule: 'EndOfStream may be followed by another receive',
    needs: ['input', 'put'],
    async run(world) {
      const consumer = await world.openConsumer(world.openingFor('input', { drain: true }))
      await world.put(numberedMessages(2))
      await drain(consumer, world, 2)
      for (let again = 0; again < 3; again++) assert.equal(await drainStep(consumer, world), 'quiet')
    },
  }),
  connectorTest({
    name: 'pin keeps what comes and reads nothing',
    rule: 'pin makes the source keep everything from now on, without reading; it does nothing where nothing can be pinned',
    needs: ['input', 'put'],
    async run(world) {
      const messages = numberedMessages(4)
      const receiver = await world.openReceiver()
      await world.put(messages.slice(0, 2))
      await within(receiver.consumer.pin(), world.limits.patienceMs, 'pin')
      await world.put(messages.slice(2))
      assertSamePayloads(await receiver.take(messages.length), messages, false)
    },
  }),
  connectorTest({
    name: 'an input tells its state while it waits',
    rule: 'status() may be asked at any time; it never throws and never waits for the source',
    needs: ['input'],
    async run(world) {
      const consumer = await world.openConsumer()
      const stop = new AbortController()
      const waiting = consumer.receive(wideLimit, stop.signal).catch(() => undefined)
      const status = consumer.status()
      assert.equal(typeof status.target, 'string')
      stop.abort(new Error('stop waiting'))
      await settlesWithin(waiting, world.limits.patienceMs)
      assert.ok(!MqbError.is(status.error), '`error` is a text')
    },
  }),
]
