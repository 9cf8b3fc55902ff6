import { ALL_ACKED, ack, failure, MqbError, type Outcomes } from '@mqb/core'
import { describe, expect, it } from 'vitest'
import { settle, testClock, until } from './support/clock.ts'
import { middleware } from './support/plans.ts'
import { testRun, texts } from './support/run.ts'
import { TestSink } from './support/sink.ts'
import { TestSource } from './support/source.ts'

const retryable = new MqbError({ kind: 'retryable', code: 'MQB_TEST_BUSY', what: 'busy' })
const permanent = new MqbError({ kind: 'permanent', code: 'MQB_TEST_BAD', what: 'bad' })
const lost = new MqbError({ kind: 'connection', code: 'MQB_TEST_LOST', what: 'lost' })

describe('a drain', () => {
  it('ends at the first empty answer when nothing is in flight', async () => {
    const source = new TestSource(texts(5))
    const sink = new TestSink()
    const { run } = testRun({ source, sink, drain: true })
    expect(await run.join()).toMatchObject({ outcome: 'completed', counts: { delivered: 5 } })
  })

  it('does not end while a batch of the last round was nacked, and flushes while it waits', async () => {
    const source = new TestSource(texts(5))
    const sink = new TestSink((messages, call) =>
      call < 3 ? messages.map(() => failure(retryable)) : ALL_ACKED,
    )
    const { run } = testRun({ source, sink, drain: true, options: { concurrency: 4, batch_size: 2 } })
    const result = await run.join()
    expect(result).toMatchObject({ outcome: 'completed', counts: { delivered: 5, inFlight: 0 } })
    expect(source.remaining).toBe(0)
    expect(sink.flushes).toBeGreaterThan(0)
  })

  it('asks a source that has ended again for what was nacked', async () => {
    const source = new TestSource(texts(3), { end: 'end', ordered: true })
    const sink = new TestSink((messages, call) =>
      call === 0 ? [ack(), failure(retryable), ack()].slice(0, messages.length) : ALL_ACKED,
    )
    const { run } = testRun({ source, sink, input: { capabilities: { commitOrder: 'ordered' } } })
    expect(await run.join()).toMatchObject({
      outcome: 'completed',
      counts: { in: 5, delivered: 3, returned: 2 },
    })
    expect(source.position).toBe(3)
  })

  it('waits for a commit that is still on its way', async () => {
    const source = new TestSource(texts(1))
    let release = (): void => {}
    source.commitFaults.push(
      () =>
        new Promise<void>(resolve => {
          release = resolve
        }),
    )
    const { run } = testRun({ source, sink: new TestSink(), drain: true })
    let ended = false
    const done = run.join().then(result => {
      ended = true
      return result
    })
    await settle(50)
    expect(ended).toBe(false)
    release()
    expect((await done).counts).toMatchObject({ delivered: 1, inFlight: 0 })
  })

  it('lets an output middleware that holds messages back give them away', async () => {
    const source = new TestSource(texts(2))
    const sink = new TestSink()
    let flush = (): void => {}
    const holding = middleware('holding', {
      wrapPublisher: inner => ({
        send: async (messages, signal) => {
          await new Promise<void>(resolve => {
            flush = resolve
          })
          return inner.send(messages, signal)
        },
        flush: async () => flush(),
        status: () => inner.status(),
        close: () => inner.close(),
      }),
    })
    const { run } = testRun({
      source,
      sink,
      output: { middlewares: [holding] },
      drain: true,
      options: { concurrency: 2 },
    })
    expect((await run.join()).counts).toMatchObject({ delivered: 2 })
  })

  it('fails after 30 s without an ack while something fails, and says how far it came', async () => {
    const clock = testClock()
    const source = new TestSource(texts(3))
    const sink = new TestSink(messages =>
      messages.map(message => (message.text() === 'm2' ? failure(retryable) : ack())),
    )
    const { run } = testRun({ source, sink, drain: true, clock, random: () => 0.5 })
    const done = run.join()
    await clock.advance(29_000)
    expect(run.status().state).toBe('blocked')
    await clock.advance(2000)
    const result = await done
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'MQB_DRAIN_STALLED' } })
    expect(result.error?.what).toContain('after 2 messages')
    expect(result.counts.inFlight).toBe(0)
  })

  it('fails in the same way when only messages behind the failing one get through', async () => {
    const clock = testClock()
    const source = new TestSource(texts(5), { ordered: true, rewinds: true })
    const sink = new TestSink(messages =>
      messages.map(message => (message.text() === 'm2' ? failure(retryable) : ack())),
    )
    const { run } = testRun({
      source,
      sink,
      drain: true,
      clock,
      random: () => 0.5,
      input: { capabilities: { commitOrder: 'ordered', rewinds: true } },
    })
    const done = run.join()
    await clock.advance(32_000)
    expect(await done).toMatchObject({ outcome: 'failed', error: { code: 'MQB_DRAIN_STALLED' } })
    expect(source.position).toBe(2)
  })

  it('fails when it cannot connect, at once where it was told to', async () => {
    for (const failFast of [true, false]) {
      const clock = testClock()
      const source = new TestSource([])
      for (let at = 0; at < 1000; at++)
        source.openFaults.push(() => {
          throw lost
        })
      const { run } = testRun({
        source,
        sink: new TestSink(),
        drain: true,
        failFast,
        clock,
        random: () => 0.5,
      })
      const started = run.start().catch((reason: unknown) => reason)
      await clock.advance(1)
      if (failFast) expect(await started).toMatchObject({ code: 'MQB_TEST_LOST' })
      await clock.advance(40_000)
      expect(await run.join()).toMatchObject({ outcome: 'failed' })
    }
  })
})

describe('waiting for the first message', () => {
  it('asks an empty source again every 250 ms, then drains', async () => {
    const clock = testClock()
    const source = new TestSource([])
    const sink = new TestSink()
    const { run } = testRun({ source, sink, waitMs: 2000, clock })
    const done = run.join()
    await clock.advance(1100)
    source.add('m0')
    await clock.advance(250)
    expect((await done).outcome).toBe('completed')
    expect(sink.delivered).toEqual(['m0'])
  })

  it('ends when the time is over', async () => {
    const clock = testClock()
    const { run } = testRun({ source: new TestSource([]), sink: new TestSink(), waitMs: 2000, clock })
    const done = run.join()
    await clock.advance(1999)
    expect(run.status().outcome).toBe(undefined)
    await clock.advance(300)
    expect((await done).outcome).toBe('completed')
  })

  it('of no seconds is a plain drain', async () => {
    const { run } = testRun({ source: new TestSource([]), sink: new TestSink(), waitMs: 0 })
    expect((await run.join()).outcome).toBe('completed')
  })
})

describe('a limit', () => {
  it.each([1, 4])(
    'ends after so many were delivered and returns the rest (concurrency %i)',
    async concurrency => {
      const source = new TestSource(texts(100), { end: 'wait' })
      const sink = new TestSink(async (): Promise<Outcomes> => {
        await settle(2)
        return ALL_ACKED
      })
      const { run } = testRun({ source, sink, limit: 25, options: { concurrency } })
      const result = await run.join()
      expect(result).toMatchObject({
        outcome: 'completed',
        abandoned: 0,
        counts: { delivered: 25, inFlight: 0 },
      })
      expect(sink.delivered).toHaveLength(25)
      expect(source.settled).toHaveLength(25)
      expect(source.remaining).toBe(75)
    },
  )

  it('leaves the position of an ordered source behind the last delivered message', async () => {
    const source = new TestSource(texts(100), { end: 'wait', ordered: true })
    const sink = new TestSink()
    const { run } = testRun({
      source,
      sink,
      limit: 25,
      input: { capabilities: { commitOrder: 'ordered' } },
      options: { concurrency: 4 },
    })
    await run.join()
    expect(sink.delivered).toEqual(texts(25))
    expect(source.position).toBe(25)
  })

  it('counts only what was delivered', async () => {
    const source = new TestSource(texts(100), { end: 'wait' })
    const sink = new TestSink(messages =>
      messages.map(message => (Number(message.text().slice(1)) % 2 === 0 ? ack() : failure(permanent))),
    )
    const { run } = testRun({ source, sink, limit: 10 })
    const { counts } = await run.join()
    expect(counts).toMatchObject({ delivered: 10, inFlight: 0 })
    expect(counts.dropped).toBeGreaterThanOrEqual(9)
  })

  it('counts what a handler published', async () => {
    const source = new TestSource(texts(50), { end: 'wait' })
    const sink = new TestSink()
    const { run } = testRun({
      source,
      sink,
      limit: 7,
      handler: message => (Number(message.text().slice(1)) % 3 === 0 ? message : null),
    })
    expect((await run.join()).counts.delivered).toBe(7)
    expect(sink.delivered).toEqual(['m0', 'm3', 'm6', 'm9', 'm12', 'm15', 'm18'])
  })
})

describe('a stop', () => {
  it('receives no more, lets sends end, commits, closes the input and then the output', async () => {
    const events: string[] = []
    const source = new TestSource(texts(2), { end: 'wait' })
    let answer = (): void => {}
    const sink = new TestSink(async (): Promise<Outcomes> => {
      await new Promise<void>(resolve => {
        answer = resolve
      })
      events.push('sent')
      return ALL_ACKED
    })
    source.onCommit = () => events.push('committed')
    const noting = (name: string) =>
      middleware(name, {
        wrapConsumer: inner => ({
          receive: (limit, signal) => inner.receive(limit, signal),
          pin: () => inner.pin(),
          status: () => inner.status(),
          close: () => {
            events.push('input closed')
            return inner.close()
          },
        }),
        wrapPublisher: inner => ({
          send: (messages, signal) => inner.send(messages, signal),
          flush: async () => {
            events.push('flushed')
          },
          status: () => inner.status(),
          close: () => {
            events.push('output closed')
            return inner.close()
          },
        }),
      })
    const { run } = testRun({
      source,
      sink,
      input: { middlewares: [noting('in')] },
      output: { middlewares: [noting('out')] },
    })
    await run.start()
    await until(() => sink.running === 1)
    const stopping = run.stop()
    source.add('late')
    await settle()
    answer()
    expect(await stopping).toMatchObject({ outcome: 'stopped', abandoned: 0, counts: { delivered: 2 } })
    expect(events).toEqual(['flushed', 'sent', 'committed', 'input closed', 'output closed'])
    expect(source.remaining).toBe(1)
  })

  it('gives up on sends at the deadline, counts them, and ends although the sink never answers', async () => {
    const clock = testClock()
    const source = new TestSource(texts(137), { end: 'wait' })
    const sink = new TestSink(() => new Promise(() => {}))
    const { run, log } = testRun({ source, sink, clock, options: { batch_size: 200 } })
    await run.start()
    await until(() => sink.running === 1)
    const stopping = run.stop({ deadlineMs: 3000 })
    await clock.advance(2999)
    expect(sink.signals[0]?.aborted).toBe(false)
    await clock.advance(1)
    expect(sink.signals[0]?.aborted).toBe(true)
    const result = await stopping
    expect(clock.monotonic()).toBe(3000)
    expect(result).toMatchObject({
      outcome: 'stopped',
      abandoned: 137,
      counts: { returned: 137, inFlight: 0 },
    })
    expect(log.withCode('MQB_ABANDONED')).toHaveLength(1)
    expect(source.remaining).toBe(137)
  })

  it('ignores an answer that comes after the deadline', async () => {
    const clock = testClock()
    const source = new TestSource(texts(2), { end: 'wait' })
    let answer = (): void => {}
    const sink = new TestSink(async (): Promise<Outcomes> => {
      await new Promise<void>(resolve => {
        answer = resolve
      })
      return ALL_ACKED
    })
    const { run } = testRun({ source, sink, clock })
    await run.start()
    await until(() => sink.running === 1)
    const stopping = run.stop({ deadlineMs: 0 })
    const result = await stopping
    answer()
    await settle()
    expect(result.abandoned).toBe(2)
    expect(source.settled).toEqual([])
  })

  it('is hurried by a second one, never delayed', async () => {
    const clock = testClock()
    const source = new TestSource(texts(2), { end: 'wait' })
    const sink = new TestSink(() => new Promise(() => {}))
    const { run } = testRun({ source, sink, clock })
    await run.start()
    await until(() => sink.running === 1)
    const first = run.stop({ deadlineMs: 1000 })
    void run.stop({ deadlineMs: 60_000 })
    await clock.advance(500)
    void run.stop({ deadlineMs: 0 })
    expect((await first).abandoned).toBe(2)
    expect(clock.monotonic()).toBe(500)
  })

  it('commits what has its answer although another batch has none', async () => {
    const clock = testClock()
    const source = new TestSource(texts(4), { end: 'wait', maxBatch: 2 })
    const sink = new TestSink((_messages, call) => (call === 0 ? new Promise(() => {}) : ALL_ACKED))
    const { run } = testRun({ source, sink, clock, options: { concurrency: 2 } })
    await run.start()
    await until(() => source.settled.length === 2)
    const stopping = run.stop({ deadlineMs: 10 })
    await clock.advance(10)
    expect(await stopping).toMatchObject({ abandoned: 2, counts: { delivered: 2, returned: 2 } })
  })

  it('does not wait for commits that can never be applied behind an abandoned batch', async () => {
    const clock = testClock()
    const source = new TestSource(texts(4), { end: 'wait', maxBatch: 2, ordered: true })
    const sink = new TestSink((_messages, call) => (call === 0 ? new Promise(() => {}) : ALL_ACKED))
    const { run } = testRun({
      source,
      sink,
      clock,
      input: { capabilities: { commitOrder: 'ordered' } },
      options: { concurrency: 2 },
    })
    await run.start()
    await until(() => sink.delivered.length === 2)
    const stopping = run.stop({ deadlineMs: 10 })
    await clock.advance(10)
    expect(await stopping).toMatchObject({ abandoned: 2, counts: { delivered: 0, returned: 4, inFlight: 0 } })
    expect(clock.monotonic()).toBe(10)
    expect(source.position).toBe(0)
  })

  it('waits a second for commits that do not come back', async () => {
    const clock = testClock()
    const source = new TestSource(texts(2), { end: 'wait' })
    source.commitFaults.push(() => new Promise(() => {}))
    const { run } = testRun({ source, sink: new TestSink(), clock })
    await run.start()
    await settle()
    const stopping = run.stop()
    await clock.advance(1000)
    expect(await stopping).toMatchObject({ outcome: 'stopped', counts: { returned: 2, inFlight: 0 } })
    expect(clock.monotonic()).toBe(1000)
  })

  it('ends a receive that waits, a start that waits, and a pause', async () => {
    const clock = testClock()
    const waiting = testRun({ source: new TestSource([], { end: 'wait' }), sink: new TestSink(), clock })
    await waiting.run.start()
    expect((await waiting.run.stop()).outcome).toBe('stopped')

    const refused = new TestSource([])
    for (let at = 0; at < 100; at++)
      refused.openFaults.push(() => {
        throw lost
      })
    const starting = testRun({ source: refused, sink: new TestSink(), clock, random: () => 0.5 })
    const started = starting.run.start()
    await clock.advance(100)
    expect((await starting.run.stop()).outcome).toBe('stopped')
    await started

    const paused = testRun({
      source: new TestSource([]),
      sink: new TestSink(),
      clock,
      options: { empty_batch_delay_ms: 60_000 },
    })
    await paused.run.start()
    await settle()
    expect((await paused.run.stop()).outcome).toBe('stopped')
    expect(clock.pending).toBe(0)
  })

  it('before the start opens nothing', async () => {
    const source = new TestSource(texts(1))
    const { run } = testRun({ source, sink: new TestSink() })
    expect((await run.stop()).outcome).toBe('stopped')
    expect(source.opened).toBe(0)
  })

  it('ends although both ends hang when they are closed', async () => {
    const clock = testClock()
    const hang = middleware('hang', {
      wrapConsumer: inner => ({
        receive: (limit, signal) => inner.receive(limit, signal),
        pin: () => inner.pin(),
        status: () => inner.status(),
        close: () => new Promise(() => {}),
      }),
      wrapPublisher: inner => ({
        send: (messages, signal) => inner.send(messages, signal),
        flush: () => new Promise(() => {}),
        status: () => inner.status(),
        close: () => new Promise(() => {}),
      }),
    })
    const source = new TestSource(texts(2), { end: 'wait' })
    const sink = new TestSink()
    const { run } = testRun({
      source,
      sink,
      clock,
      input: { middlewares: [hang] },
      output: { middlewares: [hang] },
    })
    await run.start()
    await settle()
    const stopping = run.stop()
    await clock.advance(10_000)
    expect((await stopping).outcome).toBe('stopped')
    expect([source.open, sink.open]).toEqual([0, 0])
    expect(clock.pending).toBe(0)
  })
})

describe('a failed route', () => {
  it('ends when its input can never deliver again, with what is in flight', async () => {
    const source = new TestSource(texts(2))
    const sink = new TestSink(async (): Promise<Outcomes> => {
      await settle(5)
      return ALL_ACKED
    })
    source.receiveFaults.push(
      () => {},
      () => {
        throw permanent
      },
    )
    const { run } = testRun({ source, sink, options: { concurrency: 2 } })
    expect(await run.join()).toMatchObject({
      outcome: 'failed',
      error: { code: 'MQB_TEST_BAD', where: 'r.input.test' },
      counts: { delivered: 2 },
    })
  })

  it('ends when an end can never be opened', async () => {
    for (const side of ['source', 'sink'] as const) {
      const source = new TestSource(texts(2))
      const sink = new TestSink()
      ;(side === 'source' ? source : sink).openFaults.push(() => {
        throw permanent
      })
      const { run } = testRun({ source, sink })
      await expect(run.start()).rejects.toMatchObject({ code: 'MQB_TEST_BAD' })
      expect(await run.join()).toMatchObject({ outcome: 'failed' })
      expect(source.open + sink.open).toBe(0)
    }
  })
})
