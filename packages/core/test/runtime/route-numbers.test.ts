import {
  ALL_ACKED,
  ack,
  expand,
  failure,
  keepSubset,
  Message,
  type MiddlewarePlan,
  MqbError,
  type Outcome,
  outcomeAt,
  outcomeList,
} from '@mqb/core'
import { describe, expect, it } from 'vitest'
import { settle, until } from './support/clock.ts'
import { middleware, outputPlan } from './support/plans.ts'
import { testRun, texts } from './support/run.ts'
import { TestSink } from './support/sink.ts'
import { TestSource } from './support/source.ts'

const retryable = new MqbError({ kind: 'retryable', code: 'MQB_TEST_BUSY', what: 'busy' })
const permanent = new MqbError({ kind: 'permanent', code: 'MQB_TEST_BAD', what: 'bad' })
const numberOf = (message: Message): number => Number(message.text().slice(1))

/** Keeps out every seventh message. */
const filtering = middleware('filtering', {
  wrapConsumer: inner => ({
    receive: async (limit, signal) => {
      const batch = await inner.receive(limit, signal)
      const kept = [...batch.messages.keys()].filter(at => numberOf(batch.messages[at]!) % 7 !== 0)
      if (kept.length === batch.messages.length) return batch
      const rest = keepSubset(batch, kept, ack('filtered'))
      if (kept.length > 0) return rest
      await batch.commit(batch.messages.map(() => ack('filtered')))
      return { messages: [], commit: async () => {} }
    },
    pin: () => inner.pin(),
    status: () => inner.status(),
    close: () => inner.close(),
  }),
})

/** Sends what fails for good to a nested endpoint. */
function parking(letters: TestSink): MiddlewarePlan {
  const plan = outputPlan({ open: letters.publisher, path: 'r.output.middlewares[0].parking.endpoint.test' })
  return middleware('parking', {
    wrapPublisher: async (inner, _config, opening) => {
      const nested = await plan.open(opening.child('endpoint'))
      return {
        send: async (messages, signal) => {
          const outcomes = outcomeList(await inner.send(messages, signal), messages.length).slice()
          const bad = [...outcomes.keys()].filter(at => {
            const outcome = outcomes[at]!
            return outcome.kind === 'failure' && outcome.error.kind === 'permanent'
          })
          if (bad.length === 0) return outcomes
          const parked = await nested.send(
            bad.map(at => messages[at]!),
            signal,
          )
          for (const [index, at] of bad.entries())
            if (outcomeAt(parked, index).kind === 'ack') outcomes[at] = ack('dead_lettered')
          return outcomes
        },
        flush: () => inner.flush(),
        status: () => inner.status(),
        close: async () => {
          await nested.close()
          await inner.close()
        },
      }
    },
  })
}

describe('the numbers of a route', () => {
  it('are what really lies in source, sink and dead letters, also after a stop that gives up', async () => {
    const source = new TestSource(texts(500), { end: 'wait', maxBatch: 20 })
    const letters = new TestSink(messages =>
      messages.map(message => (numberOf(message) % 22 === 0 ? failure(permanent) : ack())),
    )
    const once = new Set<number>()
    const sink = new TestSink(async messages => {
      if (messages.some(message => numberOf(message) >= 400)) await new Promise(() => {})
      return messages.map((message): Outcome => {
        const number = numberOf(message)
        if (number % 11 === 0) return failure(permanent)
        if (number % 13 === 0 && !once.has(number)) {
          once.add(number)
          return failure(retryable)
        }
        return ack()
      })
    })
    const { run } = testRun({
      source,
      sink,
      input: { middlewares: [filtering] },
      output: { middlewares: [parking(letters)] },
      options: { concurrency: 3, batch_size: 20 },
      handler: message => (numberOf(message) % 17 === 0 ? null : message),
    })
    await run.start()
    await until(() => sink.running === 3, 'three stuck sends')
    await settle(20)
    expect(source.settled.length).toBeGreaterThan(300)
    const { counts, abandoned, outcome } = await run.stop({ deadlineMs: 0 })
    const status = run.status()
    expect(outcome).toBe('stopped')
    expect(abandoned).toBeGreaterThan(0)
    expect(status.balanced).toBe(true)
    expect(status.counts).toEqual(counts)
    expect(counts.delivered).toBe(sink.delivered.length)
    expect(counts.deadLettered).toBe(letters.delivered.length)
    const settled = source.settled.map(text => Number(text.slice(1)))
    expect(counts.filtered).toBe(settled.filter(number => number % 7 === 0).length)
    const passed = settled.filter(number => number % 7 !== 0)
    expect(counts.handled).toBe(passed.filter(number => number % 17 === 0).length)
    const bad = passed.filter(number => number % 17 !== 0 && number % 11 === 0)
    expect(counts.dropped).toBe(bad.filter(number => number % 22 === 0).length)
    expect(counts.deadLettered).toBe(bad.filter(number => number % 22 !== 0).length)
    expect(counts.returned).toBe(counts.in - settled.length)
    expect(source.remaining).toBe(500 - settled.length)
    expect(new Set(settled).size).toBe(settled.length)
  })
})

describe('a message that is split', () => {
  const splitting = middleware('splitting', {
    wrapConsumer: inner => ({
      receive: async (limit, signal) => {
        const batch = await inner.receive(limit, signal)
        const parts: Message[] = []
        const owners: number[] = []
        for (const [at, message] of batch.messages.entries())
          for (const part of message.json() as unknown[]) {
            parts.push(Message.fromJson(part))
            owners.push(at)
          }
        const whole = expand(batch, parts, owners)
        if (parts.length > 0 || batch.messages.length === 0) return whole
        await whole.commit([])
        return { messages: [], commit: async () => {} }
      },
      pin: () => inner.pin(),
      status: () => inner.status(),
      close: () => inner.close(),
    }),
  })

  it('is settled when all its parts are, and one without parts at once', async () => {
    const source = new TestSource(['[{"id":1},{"id":"bad"},{"id":3}]', '[]'], { end: 'end', maxBatch: 1 })
    const letters = new TestSink()
    const sink = new TestSink(messages =>
      messages.map(message =>
        typeof (message.json() as { id: unknown }).id === 'number' ? ack() : failure(permanent),
      ),
    )
    const { run } = testRun({
      source,
      sink,
      input: { middlewares: [splitting] },
      output: { middlewares: [parking(letters)] },
    })
    const { counts } = await run.join()
    expect(sink.delivered).toEqual(['{"id":1}', '{"id":3}'])
    expect(letters.delivered).toEqual(['{"id":"bad"}'])
    expect(source.settled).toHaveLength(2)
    expect(counts).toMatchObject({ in: 2, returned: 0, inFlight: 0 })
  })

  it('comes again whole when one part could not be delivered for now', async () => {
    const source = new TestSource(['[1,2,3]'], { end: 'end' })
    let calls = 0
    const sink = new TestSink(messages => {
      calls += 1
      return calls === 1
        ? messages.map(message => (message.text() === '2' ? failure(retryable) : ack()))
        : ALL_ACKED
    })
    const { run } = testRun({ source, sink, input: { middlewares: [splitting] } })
    const { counts } = await run.join()
    expect(sink.delivered).toEqual(['1', '3', '1', '2', '3'])
    expect(counts).toMatchObject({ in: 2, delivered: 1, returned: 1 })
  })
})

describe('commits', () => {
  it('run beside sends, as many at once as the limit allows', async () => {
    const source = new TestSource(texts(12), { end: 'wait', maxBatch: 1 })
    const waiting: (() => void)[] = []
    let running = 0
    let most = 0
    for (let at = 0; at < 12; at++)
      source.commitFaults.push(async () => {
        most = Math.max(most, ++running)
        await new Promise<void>(resolve => {
          waiting.push(resolve)
        })
        running -= 1
      })
    const sink = new TestSink()
    const { run } = testRun({ source, sink, options: { commit_concurrency_limit: 3 } })
    await run.start()
    await settle(20)
    expect(running).toBe(3)
    expect(sink.delivered.length).toBeGreaterThanOrEqual(3)
    while (source.settled.length < 12) {
      waiting.shift()?.()
      await settle(2)
    }
    expect(most).toBe(3)
    expect((await run.stop()).counts).toMatchObject({ delivered: 12, inFlight: 0 })
  })

  it('do not hold a slot: the next batch is sent while a commit is on its way', async () => {
    const source = new TestSource(texts(2), { end: 'wait', maxBatch: 1 })
    source.commitFaults.push(() => new Promise(() => {}))
    const sink = new TestSink()
    const { run } = testRun({ source, sink })
    await run.start()
    await until(() => sink.delivered.length === 2)
    const { counts } = await run.stop({ deadlineMs: 0 })
    expect(counts).toMatchObject({ in: 2, inFlight: 0 })
  })
})
