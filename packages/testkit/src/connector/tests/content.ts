import assert from 'node:assert/strict'
import { Message, outcomeAt, sourcePrefix } from '@mqb/core'
import { numberedMessages, slabMessages } from '../../fakes/messages.ts'
import { settlesWithin } from '../../runner/within.ts'
import { assertSamePayloads, SlabWatch } from '../compare.ts'
import { carries, connectorTest } from '../connector-test.ts'
import { mostBytes, type World } from '../world.ts'

async function roundTrip(world: World, messages: readonly Message[]): Promise<Message[]> {
  await world.listen()
  await world.put(messages)
  return world.take(messages.length)
}

function forged(): Message {
  return new Message('{"n":"0"}', {
    [`${sourcePrefix}reference_position`]: 'forged',
    [`${sourcePrefix}anything`]: 'forged',
  })
}

function assertNoForgedMetadata(message: Message): void {
  for (const [key, value] of Object.entries(message.metadata))
    assert.ok(!(key.startsWith(sourcePrefix) && value === 'forged'), `${key} came through`)
}

const bytesRule = 'a payload arrives byte for byte'

export const contentTests = [
  connectorTest({
    name: 'text comes through with its characters',
    rule: bytesRule,
    needs: ['put', 'take'],
    async run(world) {
      const messages = [new Message('{"n":"größer, 日本, 🚀"}'), new Message('{"n":"\\"quoted\\" \\\\ \\n"}')]
      assertSamePayloads(await roundTrip(world, messages), messages, false)
    },
  }),
  connectorTest({
    name: 'an empty payload comes through as an empty payload',
    rule: bytesRule,
    needs: ['put', 'take'],
    when: carries('empty'),
    async run(world) {
      const messages = [new Message('')]
      const [received, ...others] = await roundTrip(world, messages)
      assert.ok(
        received !== undefined && others.length === 0,
        `one message was sent, ${1 + others.length} came`,
      )
      assert.equal(received.byteLength, 0)
      assert.equal(received.isNull, false, 'an empty payload became a null payload')
    },
  }),
  connectorTest({
    name: 'a null payload stays a null payload',
    rule: 'a null payload is a state of its own beside empty and the JSON text null',
    needs: ['put', 'take'],
    when: carries('null'),
    async run(world) {
      const [received, ...others] = await roundTrip(world, [new Message(null)])
      assert.ok(
        received !== undefined && others.length === 0,
        `one message was sent, ${1 + others.length} came`,
      )
      assert.equal(received.isNull, true, `the null payload became ${JSON.stringify(received.text())}`)
    },
  }),
  connectorTest({
    name: 'every byte value comes through, whether it is UTF-8 or not',
    rule: bytesRule,
    needs: ['put', 'take'],
    when: carries('binary'),
    async run(world) {
      const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
      // In parts, for systems with a small bound.
      const messages = [0, 64, 128, 192].map(from => new Message(every.subarray(from, from + 64)))
      messages.push(new Message(Buffer.from([0xff, 0xfe, 0x0a, 0x0d, 0x00])))
      assertSamePayloads(await roundTrip(world, messages), messages, false)
    },
  }),
  connectorTest({
    name: 'the largest payload comes through',
    rule: 'payloads up to maxPayloadBytes are taken; where there is no bound, up to what the suite was told',
    needs: ['put', 'take'],
    async run(world) {
      const frame = '{"n":""}'.length
      const messages = [new Message(`{"n":"${'x'.repeat(Math.max(0, world.largestPayload - frame))}"}`)]
      assertSamePayloads(await roundTrip(world, messages), messages, false)
    },
  }),
  connectorTest({
    name: 'a payload over the bound fails alone and for good',
    rule: 'a message that can never be sent is a permanent failure at its position; its neighbours go on',
    needs: ['output', 'take'],
    when: ({ output }) =>
      output?.maxPayloadBytes == null
        ? 'capability `maxPayloadBytes` is null'
        : output.maxPayloadBytes > mostBytes
          ? `capability \`maxPayloadBytes\` is more than ${mostBytes}`
          : undefined,
    async run(world) {
      const [first, last] = numberedMessages(2) as [Message, Message]
      const tooLarge = new Message(`{"n":"${'x'.repeat(world.output!.capabilities.maxPayloadBytes!)}"}`)
      const publisher = await world.openPublisher()
      const { outcomes, received } = await world.exchange(publisher, [first, tooLarge, last], 2)
      const outcome = outcomeAt(outcomes, 1)
      assert.ok(
        outcome.kind === 'failure' && outcome.error.kind === 'permanent',
        'the message over the bound must fail as permanent',
      )
      for (const index of [0, 2])
        assert.notEqual(outcomeAt(outcomes, index).kind, 'failure', `message ${index} failed as well`)
      assertSamePayloads(received, [first, last], world.output!.capabilities.orderedPublish !== 'no')
    },
  }),
  connectorTest({
    name: 'metadata travels with its message',
    rule: 'metadata is text that travels with the message, key by key',
    needs: ['put', 'take'],
    when: carries('metadata'),
    async run(world) {
      const metadata = { trace_id: 'a-1', 'x-kind': 'größe, 日本', empty: '', 'with.dots': '1; 2=3' }
      const messages = [new Message('{"n":"0"}', metadata), new Message('{"n":"1"}', { trace_id: 'b-2' })]
      const received = await roundTrip(world, messages)
      assertSamePayloads(received, messages, false)
      for (const message of messages) {
        const twin = received.find(candidate => candidate.text() === message.text())!
        for (const [key, value] of Object.entries(message.metadata))
          assert.equal(twin.getMetadata(key), value, `metadata ${key} of ${message.text()}`)
      }
      const plain = received.find(candidate => candidate.text() === messages[1]!.text())!
      assert.equal(plain.getMetadata('x-kind'), undefined, 'metadata of a neighbour came along')
    },
  }),
  connectorTest({
    name: 'metadata about the hop does not travel from end to end',
    rule: 'publishers strip mqb.src.*, inputs drop forged keys',
    needs: ['put', 'take'],
    when: carries('metadata'),
    async run(world) {
      const received = await roundTrip(world, [forged()])
      assert.equal(received.length, 1)
      assertNoForgedMetadata(received[0]!)
    },
  }),
  connectorTest({
    name: 'an output publishes no metadata about the hop',
    rule: 'publishers strip mqb.src.*',
    needs: ['output', 'readBack'],
    when: carries('metadata'),
    async run(world) {
      const publisher = await world.openPublisher()
      await world.exchange(publisher, [forged()])
      const held = await world.hooks.readBack!()
      assert.ok(held.length > 0, 'the sink holds nothing')
      for (const message of held) assertNoForgedMetadata(message)
    },
  }),
  connectorTest({
    name: 'an input drops forged metadata about the hop',
    rule: 'inputs drop mqb.src.* that came from outside',
    needs: ['input', 'feed'],
    when: carries('metadata'),
    async run(world) {
      const receiver = await world.openReceiver()
      await world.hooks.feed!([forged()])
      const received = await receiver.take(1)
      assertNoForgedMetadata(received[0]!)
    },
  }),
  connectorTest({
    name: 'an input stamps its position when it is asked to',
    rule: 'with sourceMetadata, every message carries the keys that the capability `position` names',
    needs: ['input', 'put'],
    when: ({ input }) => (input?.position == null ? 'capability `position` is null' : undefined),
    async run(world) {
      const receiver = await world.openReceiver({ sourceMetadata: true })
      await world.put(numberedMessages(2))
      for (const message of await receiver.take(2))
        for (const key of world.input!.capabilities.position!.keys)
          assert.ok((message.getMetadata(key) ?? '') !== '', `${key} is missing`)
    },
  }),
  connectorTest({
    name: 'an output does not write into what it is given',
    rule: 'payloads are read-only: the bytes behind a message never change',
    needs: ['output', 'take'],
    async run(world) {
      const watch = new SlabWatch()
      const messages = slabMessages('{"n":"0"}', '{"n":"1"}', '{"n":"2"}')
      watch.watch(messages)
      const publisher = await world.openPublisher()
      await world.exchange(publisher, messages)
      await settlesWithin(publisher.close(), world.limits.closeMs)
      watch.assertUntouched('send')
    },
  }),
  connectorTest({
    name: 'an input does not reuse the memory of messages that it handed out',
    rule: 'a slab is never reused',
    needs: ['input', 'put'],
    async run(world) {
      const watch = new SlabWatch()
      const receiver = await world.openReceiver()
      for (let round = 0; round < 5; round++) {
        await world.put(numberedMessages(3, round * 3))
        for (const batch of await receiver.lend(3)) {
          watch.watch(batch.messages)
          await receiver.commit(batch)
        }
      }
      await settlesWithin(receiver.consumer.close(), world.limits.closeMs)
      watch.assertUntouched('receive, commit and close')
    },
  }),
  connectorTest({
    name: 'a batch of none, of one and of many is answered by position',
    rule: 'outcomes have the length of the batch; an empty batch is no error',
    needs: ['output', 'take'],
    async run(world) {
      const publisher = await world.openPublisher()
      for (const count of [0, 1, 100]) {
        const messages = numberedMessages(count)
        const { outcomes, received } = await world.exchange(publisher, messages)
        if (typeof outcomes !== 'symbol')
          assert.equal(outcomes.length, count, `outcomes for a batch of ${count}`)
        for (let index = 0; index < count; index++)
          assert.notEqual(outcomeAt(outcomes, index).kind, 'failure', `message ${index} of ${count} failed`)
        assertSamePayloads(received, messages, false)
      }
    },
  }),
  connectorTest({
    name: 'many messages in many batches arrive once each',
    rule: 'nothing is lost and nothing is doubled while nothing fails',
    needs: ['put', 'take'],
    async run(world) {
      const messages = numberedMessages(500)
      await world.listen()
      for (let at = 0; at < messages.length; at += 50) await world.put(messages.slice(at, at + 50))
      assertSamePayloads(await world.take(messages.length), messages, false)
    },
  }),
  connectorTest({
    name: 'messages arrive in the order in which they were sent',
    rule: 'where the output promises an order, the order of sends is the order at the sink',
    needs: ['put', 'take'],
    when: ({ output }) => (output?.orderedPublish === 'no' ? 'capability `orderedPublish` is no' : undefined),
    async run(world) {
      const messages = numberedMessages(60)
      await world.listen()
      for (let at = 0; at < messages.length; at += 20) await world.put(messages.slice(at, at + 20))
      assertSamePayloads(await world.take(messages.length), messages, true)
    },
  }),
]
