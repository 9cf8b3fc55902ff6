import { ALL_ACKED, ack, failure, Message, MqbError, type Outcome } from '@mqb/core'
import { describe, expect, it } from 'vitest'
import { settle, testClock, until } from './support/clock.ts'
import { inputPlan, middleware, outputPlan } from './support/plans.ts'
import { testRun, texts } from './support/run.ts'
import { TestSink } from './support/sink.ts'
import { TestSource } from './support/source.ts'

const lost = new MqbError({ kind: 'connection', code: 'MQB_TEST_LOST', what: 'lost' })
const retryable = new MqbError({ kind: 'retryable', code: 'MQB_TEST_BUSY', what: 'busy' })
const cut = (): never => {
  throw lost
}

describe('a route whose output is lost', () => {
  it('reopens it alone, receives nothing meanwhile, and delivers everything', async () => {
    const clock = testClock()
    const source = new TestSource(texts(20), { end: 'wait', maxBatch: 5 })
    const sink = new TestSink((_messages, call) => {
      if (call === 1) throw lost
      return ALL_ACKED
    })
    const { run } = testRun({ source, sink, clock, random: () => 0.5 })
    await run.start()
    await settle()
    expect(run.status()).toMatchObject({ state: 'reconnecting', healthy: false })
    expect(run.status().reason).toContain('lost')
    const handedOut = source.handedOut.length
    await clock.advance(49)
    expect(source.handedOut.length).toBe(handedOut)
    await clock.advance(1000)
    expect(run.status()).toMatchObject({ state: 'running', healthy: true, reconnects: 1 })
    await run.stop()
    expect(sink.delivered.sort()).toEqual(texts(20).sort())
    expect([source.opened, sink.opened]).toEqual([1, 2])
  })

  it('commits the outcomes of an outage once', async () => {
    const clock = testClock()
    const source = new TestSource(texts(4), { end: 'wait' })
    const sink = new TestSink((messages, call) =>
      call === 0 ? messages.map((_message, index) => (index < 2 ? ack() : failure(lost))) : ALL_ACKED,
    )
    for (let at = 0; at < 5; at++) sink.openFaults.push(() => {})
    const { run } = testRun({ source, sink, clock, random: () => 0.5 })
    sink.openFaults.splice(1, 4, cut, cut, cut)
    await run.start()
    await clock.advance(10_000)
    expect(source.commits.map(commit => commit.texts)).toEqual([
      ['m0', 'm1', 'm2', 'm3'],
      ['m2', 'm3'],
    ])
    await run.stop()
  })

  it('keeps a batch that was received meanwhile until the output is back', async () => {
    const clock = testClock()
    const source = new TestSource([], { end: 'wait' })
    let fail = (_error: Error): void => {}
    const sink = new TestSink((_messages, call) =>
      call === 0
        ? new Promise((_resolve, reject) => {
            fail = reject
          })
        : ALL_ACKED,
    )
    const { run } = testRun({ source, sink, clock, options: { concurrency: 2 }, random: () => 0.5 })
    await run.start()
    source.add('m0')
    await settle()
    fail(lost)
    await settle()
    source.add('m1')
    await settle()
    expect(sink.sends).toEqual([['m0']])
    await clock.advance(1000)
    expect(sink.delivered.sort()).toEqual(['m0', 'm1'])
    expect((await run.stop()).counts).toMatchObject({ in: 3, delivered: 2, returned: 1 })
  })
})

describe('a route whose ends are cut 200 times under load', () => {
  it('loses nothing, and leaves as many timers, listeners and connections as before', async () => {
    const clock = testClock()
    const source = new TestSource([], { end: 'wait', maxBatch: 3 })
    const nested = new TestSink((_messages, call) => (call % 5 === 4 ? cut() : ALL_ACKED))
    const sink = new TestSink((messages, call) => {
      if (call % 7 === 3) throw lost
      if (call % 11 === 5) return messages.map((_message, index) => (index === 0 ? ack() : failure(lost)))
      return ALL_ACKED
    })
    const branches = [
      outputPlan({ open: sink.publisher, path: 'r.output.both[0].test' }),
      outputPlan({ open: nested.publisher, path: 'r.output.both[1].test' }),
    ]
    const both = outputPlan({
      structural: true,
      children: branches,
      path: 'r.output.both',
      open: async opening => {
        const inner = await Promise.all(branches.map((plan, at) => plan.open(opening.child(`[${at}]`))))
        return {
          send: async (batch, signal) => {
            const second = await inner[1]!.send(batch, signal)
            return second === ALL_ACKED ? inner[0]!.send(batch, signal) : second
          },
          flush: async () => {},
          status: () => ({ healthy: true, target: 'both' }),
          close: async () => {
            await Promise.all(inner.map(branch => branch.close()))
          },
        }
      },
    })
    let counted = 0
    const counting = middleware('counting', {
      wrapConsumer: inner => ({
        receive: async (limit, signal) => {
          const batch = await inner.receive(limit, signal)
          counted += batch.messages.length
          return batch
        },
        pin: () => inner.pin(),
        status: () => inner.status(),
        close: () => inner.close(),
      }),
    })
    const { run } = testRun({
      source,
      sink: both,
      input: { middlewares: [counting] },
      options: { concurrency: 4 },
      clock,
    })
    await run.start()
    await settle()
    const timers = clock.pending
    let fed = 0
    while (run.status().reconnects < 600 || nested.opened < 201 || sink.opened < 201 || source.opened < 201) {
      if (fed % 4 === 0) source.receiveFaults.push(() => {}, cut)
      if (fed % 9 === 0) source.commitFaults.push(cut)
      source.add(`m${fed++}`, `m${fed++}`)
      await clock.advance(10)
    }
    source.receiveFaults.length = 0
    source.commitFaults.length = 0
    await clock.advance(30_000)
    expect(clock.pending).toBe(timers)
    expect([source.open, sink.open, nested.open]).toEqual([1, 1, 1])
    const { counts } = await run.stop()
    expect(clock.pending).toBe(0)
    expect([source.open, sink.open, nested.open]).toEqual([0, 0, 0])
    expect(new Set(sink.delivered)).toEqual(new Set(texts(fed)))
    expect(source.settled.sort()).toEqual(texts(fed).sort())
    expect(counts).toMatchObject({ in: counted, delivered: fed, inFlight: 0 })
    expect(run.status().balanced).toBe(true)
  })
})

describe('a route that cannot connect at its start', () => {
  it('ends the wait of start after startup_timeout_ms and goes on trying', async () => {
    const clock = testClock()
    const source = new TestSource(texts(1), { end: 'wait' })
    for (let at = 0; at < 60; at++) source.openFaults.push(cut)
    const sink = new TestSink()
    const { run } = testRun({ source, sink, clock, random: () => 0.1 })
    const started = run.start().catch((reason: unknown) => reason)
    await clock.advance(5000)
    expect(await started).toMatchObject({
      kind: 'connection',
      code: 'MQB_START_TIMEOUT',
      where: 'r.input.test',
    })
    expect(run.status()).toMatchObject({ state: 'starting', healthy: false })
    await clock.advance(60_000)
    expect(sink.delivered).toEqual(['m0'])
    await run.stop()
  })

  it('opens its output before its input', async () => {
    const clock = testClock()
    const source = new TestSource(texts(1), { end: 'wait' })
    const sink = new TestSink()
    sink.openFaults.push(cut)
    const { run } = testRun({ source, sink, clock, random: () => 0.5 })
    const started = run.start()
    await settle()
    expect([sink.opened, source.opened]).toEqual([0, 0])
    await clock.advance(100)
    await started
    expect([sink.opened, source.opened]).toEqual([1, 1])
    await run.stop()
  })

  it('builds a middleware again that needed a connection which was not there', async () => {
    const clock = testClock()
    let tries = 0
    const needy = middleware('needy', {
      wrapPublisher: inner => {
        if (tries++ < 2) throw new Error('the store is away')
        return inner
      },
    })
    const source = new TestSource(texts(1), { end: 'wait' })
    const sink = new TestSink()
    const { run } = testRun({ source, sink, clock, output: { middlewares: [needy] }, random: () => 0.5 })
    const started = run.start()
    await clock.advance(1000)
    await started
    await settle()
    expect(sink.delivered).toEqual(['m0'])
    expect(sink.open).toBe(1)
    await run.stop()
    expect(sink.open).toBe(0)
  })
})

describe('a chain that cannot be completed', () => {
  const closing = (closed: string[], name: string) =>
    middleware(name, {
      wrapPublisher: inner => ({
        send: (messages, signal) => inner.send(messages, signal),
        flush: () => inner.flush(),
        status: () => inner.status(),
        close: () => {
          closed.push(name)
          return inner.close()
        },
      }),
    })
  const broken = new MqbError({ kind: 'permanent', code: 'MQB_TEST_BROKEN', what: 'broken' })
  const breaking = middleware('breaking', {
    wrapPublisher: () => {
      throw broken
    },
    wrapConsumer: () => {
      throw broken
    },
  })

  it('is closed as far as it stands', async () => {
    const closed: string[] = []
    const sink = new TestSink()
    const { run } = testRun({
      source: new TestSource([]),
      sink,
      output: { middlewares: [closing(closed, 'inner'), breaking] },
    })
    await expect(run.start()).rejects.toMatchObject({ code: 'MQB_TEST_BROKEN' })
    await run.join()
    expect(closed).toEqual(['inner'])
    expect(sink.open).toBe(0)
  })

  it('on the input leaves nothing of the output open', async () => {
    const closed: string[] = []
    const source = new TestSource([])
    const sink = new TestSink()
    const { run } = testRun({
      source,
      sink,
      input: { middlewares: [breaking] },
      output: { middlewares: [closing(closed, 'outer')] },
    })
    await expect(run.start()).rejects.toMatchObject({ code: 'MQB_TEST_BROKEN' })
    await run.join()
    expect(closed).toEqual(['outer'])
    expect([source.open, sink.open]).toEqual([0, 0])
  })
})

describe('an error that comes from a middleware of the input', () => {
  it('makes pauses although no end is lost', async () => {
    const clock = testClock()
    let calls = 0
    const broken = middleware('broken', {
      wrapConsumer: inner => ({
        receive: (limit, signal) => {
          if (calls++ < 4) throw new Error('the store is away')
          return inner.receive(limit, signal)
        },
        pin: () => inner.pin(),
        status: () => inner.status(),
        close: () => inner.close(),
      }),
    })
    const sink = new TestSink()
    const { run } = testRun({
      source: new TestSource(texts(1), { end: 'wait' }),
      sink,
      clock,
      input: { middlewares: [broken] },
      random: () => 0.5,
    })
    await run.start()
    await settle()
    expect(calls).toBe(1)
    await clock.advance(50 + 100 + 200 + 400)
    expect(sink.delivered).toEqual(['m0'])
    await run.stop()
  })
})

describe('an ordered output', () => {
  const order = (text: string): number => Number(text.split(':')[1])

  // Record 3 of every batch fails twice, and with it every later record of its key, as an ordered sink does it.
  function fussySink(): TestSink {
    const failures = new Map<string, number>()
    return new TestSink(messages => {
      const victim = messages[3]?.text()
      let stuck: string | undefined
      return messages.map((message): Outcome => {
        const text = message.text()
        const key = text.split(':')[0]
        if (stuck === key) return failure(retryable)
        if (text === victim && messages.length === 10 && (failures.get(text) ?? 0) < 2) {
          failures.set(text, (failures.get(text) ?? 0) + 1)
          stuck = key
          return failure(retryable)
        }
        return ack()
      })
    })
  }

  it.each(['any', 'ordered'] as const)(
    'keeps the order of each key when some records of a batch fail (commit order %s)',
    async commitOrder => {
      const records = Array.from({ length: 300 }, (_, at) => `k${at % 3}:${Math.floor(at / 3)}`)
      const source = new TestSource(records, { end: 'end', ordered: true })
      const sink = fussySink()
      const { run } = testRun({
        source,
        sink,
        input: { capabilities: { commitOrder: 'ordered' } },
        output: {
          capabilities: { orderedPublish: commitOrder === 'any' ? 'serial' : 'pipelined' },
          middlewares: [resending()],
        },
        options: { concurrency: 4 },
      })
      const { counts } = await run.join()
      expect(counts.delivered).toBe(300)
      expect(sink.delivered).toHaveLength(300)
      for (const key of ['k0', 'k1', 'k2']) {
        const sequence = sink.delivered.filter(text => text.startsWith(key)).map(order)
        expect(sequence).toEqual(sequence.toSorted((left, right) => left - right))
      }
    },
  )

  it('keeps the order when failed batches come again from the source', async () => {
    const source = new TestSource(texts(200), { end: 'end', ordered: true, maxBatch: 5 })
    let sends = 0
    const sink = new TestSink(async messages => {
      await settle(1 + (sends % 3))
      sends += 1
      return sends % 10 === 0 ? messages.map(() => failure(retryable)) : ALL_ACKED
    })
    const { run } = testRun({
      source,
      sink,
      input: { capabilities: { commitOrder: 'ordered' } },
      output: { capabilities: { orderedPublish: 'serial' } },
      options: { concurrency: 8 },
    })
    await run.join()
    expect(sink.delivered).toEqual(texts(200))
  })

  function resending() {
    return middleware('resending', {
      wrapPublisher: inner => ({
        send: async (messages, signal) => {
          const outcomes = [...messages.keys()].map((): Outcome | undefined => undefined)
          for (let tries = 0; tries < 5; tries++) {
            const open = [...outcomes.keys()].filter(at => outcomes[at]?.kind !== 'ack')
            if (open.length === 0) break
            const answer = await inner.send(
              open.map(at => messages[at] as Message),
              signal,
            )
            for (const [index, at] of open.entries())
              outcomes[at] = answer === ALL_ACKED ? ack() : answer[index]
            await settle(3)
          }
          return outcomes as Outcome[]
        },
        flush: () => inner.flush(),
        status: () => inner.status(),
        close: () => inner.close(),
      }),
    })
  }
})

describe('an ordered input', () => {
  it('with eight batches side by side never passes an undelivered message', async () => {
    const source = new TestSource(texts(2000), { end: 'end', ordered: true, maxBatch: 4 })
    let sends = 0
    const sink = new TestSink(async messages => {
      sends += 1
      const fails = sends % 50 === 0
      await settle((sends * 7919) % 6)
      return fails ? messages.map(() => failure(retryable)) : ALL_ACKED
    })
    let checks = 0
    source.onCommit = () => {
      checks += 1
      const delivered = new Set(sink.delivered)
      for (let at = Math.max(0, source.position - 40); at < source.position; at++)
        if (!delivered.has(`m${at}`)) throw new Error(`m${at} was passed`)
    }
    const { run } = testRun({
      source,
      sink,
      input: { capabilities: { commitOrder: 'ordered' } },
      options: { concurrency: 8 },
    })
    const { counts } = await run.join()
    expect(source.position).toBe(2000)
    expect(checks).toBeGreaterThan(400)
    expect(counts).toMatchObject({ delivered: 2000, inFlight: 0 })
  })
})

describe('a message of 64 MiB', () => {
  it('goes through alone', async () => {
    const large = new Message(Buffer.alloc(64 * 1024 * 1024, 'x'))
    const rest = [new Message('a'), new Message('b')]
    const batches = [[large], rest]
    let received = 0
    const sink = new TestSink()
    const { run } = testRun({
      source: inputPlan({
        open: () => ({
          receive: async () => ({ messages: batches[received++] ?? [], commit: async () => {} }),
          pin: async () => {},
          status: () => ({ healthy: true, target: 'x' }),
          close: async () => {},
        }),
      }),
      sink,
      drain: true,
      options: { concurrency: 4 },
    })
    expect((await run.join()).counts).toMatchObject({ delivered: 3 })
    expect(sink.delivered.map(text => text.length)).toEqual([64 * 1024 * 1024, 1, 1])
  })
})

describe('a busy route', () => {
  it('lets timers run although it always has something to do', async () => {
    const source = new TestSource(texts(1), { end: 'wait' })
    const sink = new TestSink(() => {
      source.add('more')
      return ALL_ACKED
    })
    const { run } = testRun({ source, sink })
    await run.start()
    await new Promise(resolve => setTimeout(resolve, 30))
    await until(() => sink.delivered.length > 10)
    expect((await run.stop()).outcome).toBe('stopped')
  })
})
