import {
  ack,
  type Batch,
  type Consumer,
  type Message,
  type Outcomes,
  type Publisher,
  Message as RealMessage,
} from '@mqb/core'
import { describe, expect, it } from 'vitest'
import { testClock } from './support/clock.ts'
import { inputPlan, middleware, outputPlan } from './support/plans.ts'
import { type RunSetup, testRun } from './support/run.ts'
import { TestSink } from './support/sink.ts'
import { TestSource } from './support/source.ts'

/** What a plugin that is not written in TypeScript may hand over. */
const wrong = <T>(value: unknown): T => value as T

/** Runs for a while, then stops; fails when the route does not end or an error gets away. */
async function runFor(setup: RunSetup) {
  const clock = testClock()
  const { run, log } = testRun({ ...setup, clock, random: () => 0.5 })
  let over = false
  const result = run.join().then(ended => {
    over = true
    return ended
  })
  await clock.advance(2_000)
  const { state } = run.status()
  void run.stop({ deadlineMs: 100 })
  await clock.advance(20_000)
  expect(over).toBe(true)
  return { state, log, run, result: await result }
}

function consumerOf(batch: unknown): () => Consumer {
  return () => ({
    receive: async () => wrong<Batch>(batch),
    pin: async () => {},
    status: () => ({ healthy: true, target: 'source' }),
    close: async () => {},
  })
}

describe('an input that hands over what is no batch', () => {
  for (const [name, batch] of [
    ['nothing', undefined],
    ['a number', 5],
    ['no messages', { commit: async () => {} }],
    ['no commit', { messages: [new RealMessage('a')] }],
    ['texts', { messages: ['a'], commit: async () => {} }],
    ['packed messages that are none', { packed: { runs: [] }, messages: [], commit: async () => {} }],
    ['a hole between messages', { messages: [new RealMessage('a'), null], commit: async () => {} }],
  ] as const)
    it(`is lost and opened again, and the route can be stopped: ${name}`, async () => {
      const sink = new TestSink()
      const { log, result } = await runFor({ source: inputPlan({ open: consumerOf(batch) }), sink })
      expect(sink.sends).toEqual([])
      expect(result).toMatchObject({ outcome: 'stopped', counts: { in: 0 } })
      expect(log.lines.some(line => line.level === 'warn' && /batch/.test(line.text))).toBe(true)
    })

  it('is found behind a middleware too', async () => {
    const source = new TestSource(['a'])
    const broken = middleware('broken', {
      wrapConsumer: async inner => ({
        ...inner,
        receive: async () => wrong<Batch>({ messages: [{ text: 'a' }], commit: async () => {} }),
        pin: () => inner.pin(),
        status: () => inner.status(),
        close: () => inner.close(),
      }),
    })
    const { result } = await runFor({ source, sink: new TestSink(), input: { middlewares: [broken] } })
    expect(result.outcome).toBe('stopped')
    expect(source.remaining).toBe(1)
  })
})

describe('an output that answers with what is no outcome', () => {
  for (const [name, answer] of [
    ['an unknown kind', [{ kind: 'yes' }]],
    ['nothing', [undefined]],
    ['an unknown reason', [{ kind: 'ack', as: 'constructor' }]],
    ['a reason that is missing', [{ kind: 'ack' }]],
    ['a reply without a message', [{ kind: 'reply' }]],
    ['a failure without an error', [{ kind: 'failure' }]],
  ] as const)
    it(`leaves the messages with their source: ${name}`, async () => {
      const source = new TestSource(['a'])
      const sink = new TestSink(() => wrong<Outcomes>(answer))
      const { result, run } = await runFor({ source, sink })
      expect(source.settled).toEqual([])
      expect(source.remaining).toBe(1)
      const { in: taken, returned, dropped, delivered } = result.counts
      expect([taken - returned, dropped, delivered]).toEqual([0, 0, 0])
      expect(run.status().balanced).toBe(true)
    })

  it('is forgiven outcomes that were put together by hand', async () => {
    const source = new TestSource(['a'])
    await runFor({ source, sink: new TestSink(() => [{ kind: 'ack', as: 'delivered' }]) })
    expect(source.settled).toEqual(['a'])
  })
})

describe('a plugin that opens what is no endpoint', () => {
  const noEnd = [undefined, null, 'an endpoint', {}, { send: async () => [ack()] }]
  for (const end of noEnd)
    it(`fails the route with what is missing: ${JSON.stringify(end) ?? 'undefined'}`, async () => {
      const source = new TestSource(['a'])
      const out = await runFor({ source, sink: outputPlan({ open: () => wrong<Publisher>(end) }) })
      expect(out.state).toBe('failed')
      expect(out.result.error?.message).toMatch(
        /^MQB_UNEXPECTED r\.output\.test: the plugin opened an output without .*close/,
      )
      const into = await runFor({
        source: inputPlan({ open: () => wrong<Consumer>(end) }),
        sink: new TestSink(),
      })
      expect(into.result.error?.message).toMatch(
        /^MQB_UNEXPECTED r\.input\.test: the plugin opened an input without receive/,
      )
    })

  it('fails the route when a middleware wraps into nothing', async () => {
    const nothing = middleware('nothing', {
      wrapPublisher: async () => wrong<Publisher>(undefined),
    })
    const sink = new TestSink()
    const { result } = await runFor({
      source: new TestSource(['a']),
      sink,
      output: { middlewares: [nothing] },
    })
    expect(result.error?.message).toMatch(/r\.middlewares\.nothing: the plugin opened an output without send/)
    expect(sink.open).toBe(0)
  })
})

describe('a handler that returns what is no message', () => {
  for (const value of [5, 'text', [], {}])
    it(`fails for now and loses nothing: ${JSON.stringify(value)}`, async () => {
      const source = new TestSource(['a'])
      const { result } = await runFor({ source, sink: new TestSink(), handler: () => wrong<Message>(value) })
      expect(source.remaining).toBe(1)
      expect(result.counts.delivered).toBe(0)
    })
})
