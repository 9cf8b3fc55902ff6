import assert from 'node:assert/strict'
import {
  ack,
  type Batch,
  type Consumer,
  EndOfStream,
  failure,
  Gap,
  Message,
  MqbError,
  type Outcome,
  outcomeList,
  reply,
} from '@mqb/core'
import { wideLimit } from '../connector/receiver.ts'
import { numberedMessages } from '../fakes/messages.ts'
import { type Delivery, scriptedConsumer } from '../fakes/scripted-consumer.ts'
import type { SuiteTest } from '../runner/runner.ts'
import type { MiddlewareWorld } from './world.ts'

/** Receives until there are `count` messages. */
async function receive(world: MiddlewareWorld, outer: Consumer, count: number): Promise<Batch[]> {
  const batches: Batch[] = []
  let have = 0
  for (let round = 0; have < count && round < 1_000; round++) {
    const batch = await world.within(outer.receive(wideLimit, new AbortController().signal), 'receive')
    if (batch.messages.length > 0) batches.push(batch)
    have += batch.messages.length
  }
  assert.equal(have, count, 'messages received')
  return batches
}

async function rejection(world: MiddlewareWorld, outer: Consumer): Promise<unknown> {
  for (let round = 0; round < 100; round++) {
    try {
      await world.within(outer.receive(wideLimit, new AbortController().signal), 'receive')
    } catch (error) {
      return error
    }
  }
  return undefined
}

const broken = (kind: 'permanent' | 'retryable' | 'connection'): MqbError =>
  new MqbError({ kind, code: 'MQB_SCRIPTED', what: `a ${kind} failure was scripted` })

export const middlewareInputTests: readonly SuiteTest<MiddlewareWorld>[] = [
  {
    name: 'outcomes reach the batch behind it once, at their positions',
    rule: 'a source batch is committed once, with one outcome per message in its order',
    async run(world) {
      const messages = numberedMessages(5)
      const inner = scriptedConsumer([messages], { afterwards: 'wait' })
      const outer = await world.wrapConsumer(inner)
      const outcomes: readonly Outcome[] = [
        ack(),
        failure(broken('retryable')),
        ack('filtered'),
        failure(broken('permanent')),
        reply(new Message('r', undefined, messages[4]!.id)),
      ]
      let from = 0
      for (const batch of await receive(world, outer, messages.length)) {
        await world.within(batch.commit(outcomes.slice(from, from + batch.messages.length)), 'commit')
        from += batch.messages.length
      }
      assert.equal(inner.commits.length, 1, 'commits of the one batch behind it')
      const { messages: committed, outcomes: told } = inner.commits[0]!
      outcomeList(told, committed.length).forEach((outcome, index) => {
        assert.equal(describe(outcome), describe(outcomes[index]!), `outcome at position ${index}`)
      })
    },
  },
  {
    name: 'a batch that is abandoned gets no commit',
    rule: 'what was not committed goes back to the source at close',
    async run(world) {
      const inner = scriptedConsumer([numberedMessages(3)], { afterwards: 'wait' })
      const outer = await world.wrapConsumer(inner)
      await receive(world, outer, 3)
      await world.within(outer.close(), 'close')
      assert.equal(inner.commits.length, 0, 'commits')
    },
  },
  {
    name: 'a commit that is not sure is told',
    rule: 'a failed commit rejects, or surfaces from the next receive; it is never swallowed',
    async run(world) {
      const lost = broken('connection')
      const inner = scriptedConsumer([numberedMessages(2)], {
        afterwards: 'wait',
        onCommit() {
          throw lost
        },
      })
      const outer = await world.wrapConsumer(inner)
      let told: unknown
      for (const batch of await receive(world, outer, 2))
        await world
          .within(batch.commit(batch.messages.map(() => ack())), 'commit')
          .catch((error: unknown) => {
            told = error
          })
      told ??= await rejection(world, outer)
      assert.ok(MqbError.is(told) && told.kind === 'connection', `the failed commit became ${String(told)}`)
    },
  },
  {
    name: 'a message comes on with its id, its metadata and its null payload',
    rule: 'what a middleware does not change it passes on, also mqb.src.* and a null payload',
    async run(world) {
      const metadata = { 'mqb.src.reference_position': '7', trace_id: 'a' }
      const messages = [new Message('{"n":"0"}', metadata), new Message(null, metadata)]
      const outer = await world.wrapConsumer(scriptedConsumer([messages]))
      const received = (await receive(world, outer, 2)).flatMap(batch => batch.messages)
      messages.forEach((message, index) => {
        assert.equal(received[index]!.id, message.id, 'id')
        assert.equal(received[index]!.isNull, message.isNull, 'null payload')
        for (const [key, value] of Object.entries(metadata))
          assert.equal(received[index]!.getMetadata(key), value, `metadata ${key}`)
      })
    },
  },
  {
    name: 'errors and the end of the input come through as they are',
    rule: 'the route tells EndOfStream, Gap and the kinds of errors apart',
    async run(world) {
      const scripts: readonly (readonly [Delivery, (error: unknown) => boolean])[] = [
        ['end', EndOfStream.is],
        [{ throws: new Gap({ requested: '7' }) }, Gap.is],
        ...(['permanent', 'connection'] as const).map(
          kind =>
            [
              { throws: broken(kind) },
              (error: unknown) => MqbError.is(error) && error.kind === kind && error.code === 'MQB_SCRIPTED',
            ] as const,
        ),
      ]
      for (const [step, isRight] of scripts) {
        const outer = await world.wrapConsumer(scriptedConsumer([['{"n":"0"}'], step]))
        await receive(world, outer, 1)
        const error = await rejection(world, outer)
        assert.ok(isRight(error), `it became ${String(error)}`)
      }
    },
  },
  {
    name: 'pin and status reach the consumer behind it',
    rule: 'a decorator forwards every member',
    async run(world) {
      const inner = scriptedConsumer([], { afterwards: 'wait' })
      const outer = await world.wrapConsumer(inner)
      await world.within(outer.pin(), 'pin')
      assert.equal(inner.pins, 1, 'pin did not arrive')
      assert.equal(outer.status().target, inner.status().target, '`target` of the status')
      assert.equal(typeof outer.status().healthy, 'boolean')
    },
  },
  {
    name: 'close closes the consumer behind it',
    rule: 'a decorator closes its own things, then what it wraps',
    async run(world) {
      const inner = scriptedConsumer([], { afterwards: 'wait' })
      const outer = await world.wrapConsumer(inner)
      await world.within(outer.close(), 'close')
      assert.ok(inner.closes >= 1, 'the consumer behind it is still open')
    },
  },
]

function describe(outcome: Outcome): string {
  if (outcome.kind === 'failure') return `failure ${outcome.error.kind}`
  return outcome.kind === 'ack' ? `ack ${outcome.as}` : `reply ${outcome.message.text()}`
}
