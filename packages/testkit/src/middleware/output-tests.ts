import assert from 'node:assert/strict'
import { Message, MqbError, type Outcome, outcomeAt, outcomeList } from '@mqb/core'
import { numberedMessages } from '../fakes/messages.ts'
import { scriptedPublisher } from '../fakes/scripted-publisher.ts'
import type { SuiteTest } from '../runner/runner.ts'
import { settlesWithin } from '../runner/within.ts'
import type { MiddlewareWorld } from './world.ts'

const signal = (): AbortSignal => new AbortController().signal

export const middlewareOutputTests: readonly SuiteTest<MiddlewareWorld>[] = [
  {
    name: 'outcomes keep their positions',
    rule: 'outcomes are aligned with the messages by position, at every layer',
    async run(world) {
      const answers = ['ack', 'permanent', { reply: 'r' }, 'retryable', 'ack', 'ack', 'connection'] as const
      const inner = scriptedPublisher(message => answers[Number((message.json() as { n: string }).n)]!)
      const outer = await world.wrapPublisher(inner)
      const outcomes = await world.within(outer.send(numberedMessages(answers.length), signal()), 'send')
      const list = outcomeList(outcomes, answers.length)
      assert.equal(list.length, answers.length, 'number of outcomes')
      answers.forEach((answer, index) => {
        const got = describe(list[index]!)
        const want = typeof answer === 'string' ? answer : 'reply'
        const failed = want !== 'ack' && want !== 'reply'
        if (failed && world.options.handlesFailures === true) return
        assert.equal(got, want, `outcome at position ${index}`)
      })
    },
  },
  {
    name: 'a reply travels back as it is',
    rule: 'no middleware transforms a reply unless its page says so',
    async run(world) {
      const request = new Message('{"n":"0"}')
      const answer = new Message(Buffer.from([0x7b, 0xff, 0x00]), { kind: 'answer' }, request.id)
      const outer = await world.wrapPublisher(scriptedPublisher([{ reply: answer }]))
      const outcomes = await world.within(outer.send([request], signal()), 'send')
      const outcome = outcomeAt(outcomes, 0)
      assert.ok(outcome.kind === 'reply', `the reply became ${describe(outcome)}`)
      assert.deepEqual(outcome.message.payload, answer.payload, 'payload of the reply')
      assert.deepEqual({ ...outcome.message.metadata }, { kind: 'answer' }, 'metadata of the reply')
      assert.equal(outcome.message.id, request.id, 'id of the reply')
    },
  },
  {
    name: 'a message goes on with its id, its metadata and its null payload',
    rule: 'what a middleware does not change it passes on, also mqb.src.* and a null payload',
    async run(world) {
      const inner = scriptedPublisher()
      const outer = await world.wrapPublisher(inner)
      const metadata = { 'mqb.src.reference_position': '7', trace_id: 'a' }
      const messages = [new Message('{"n":"0"}', metadata), new Message(null, metadata)]
      await world.within(outer.send(messages, signal()), 'send')
      await world.within(outer.flush(), 'flush')
      const sent = inner.calls.flat()
      assert.equal(sent.length, messages.length, 'messages that reached the publisher behind it')
      messages.forEach((message, index) => {
        assert.equal(sent[index]!.id, message.id, 'id')
        assert.equal(sent[index]!.isNull, message.isNull, 'null payload')
        for (const [key, value] of Object.entries(metadata))
          assert.equal(sent[index]!.getMetadata(key), value, `metadata ${key}`)
      })
    },
  },
  {
    name: 'a lost connection stays a lost connection',
    rule: 'failures of kind connection pass at once and keep their kind, so that the route reconnects',
    async run(world) {
      const lost = new MqbError({ kind: 'connection', code: 'MQB_SCRIPTED', what: 'the connection is gone' })
      const outer = await world.wrapPublisher(scriptedPublisher(() => ({ throws: lost })))
      const error = await world.within(
        outer.send(numberedMessages(2), signal()).then(
          outcomes =>
            outcomeList(outcomes, 2).map(outcome =>
              outcome.kind === 'failure' ? outcome.error.kind : outcome.kind,
            ),
          (thrown: unknown) => (MqbError.is(thrown) ? [thrown.kind, thrown.kind] : [String(thrown)]),
        ),
        'send',
      )
      assert.deepEqual(error, ['connection', 'connection'])
    },
  },
  {
    name: 'the deadline of a send reaches the publisher behind it',
    rule: 'the signal of send is the hard deadline of every layer',
    async run(world) {
      const inner = scriptedPublisher(['never'])
      const outer = await world.wrapPublisher(inner)
      const deadline = new AbortController()
      const sending = outer.send(numberedMessages(1), deadline.signal).catch(() => undefined)
      await settlesWithin(sending, world.limits.quietMs)
      deadline.abort(new Error('the deadline is over'))
      await settlesWithin(sending, world.limits.quietMs)
      for (const seen of inner.signals) assert.ok(seen.aborted, 'the inner send does not see the deadline')
    },
  },
  {
    name: 'flush and status reach the publisher behind it',
    rule: 'a decorator forwards every member',
    async run(world) {
      const inner = scriptedPublisher()
      const outer = await world.wrapPublisher(inner)
      await world.within(outer.flush(), 'flush')
      assert.ok(inner.flushes >= 1, 'flush did not arrive')
      assert.equal(outer.status().target, inner.status().target, '`target` of the status')
      assert.equal(typeof outer.status().healthy, 'boolean')
    },
  },
  {
    name: 'close closes the publisher behind it',
    rule: 'a decorator closes its own things, then what it wraps',
    async run(world) {
      const inner = scriptedPublisher()
      const outer = await world.wrapPublisher(inner)
      await world.within(outer.close(), 'close')
      assert.ok(inner.closes >= 1, 'the publisher behind it is still open')
    },
  },
]

function describe(outcome: Outcome): string {
  return outcome.kind === 'failure' ? outcome.error.kind : outcome.kind
}
