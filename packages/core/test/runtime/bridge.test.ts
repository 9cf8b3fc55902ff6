import { ALL_ACKED, ack, failure, Message, MqbError, type Outcomes, reply } from '@mqb/core'
import { createBridge } from '@mqb/core/runtime'
import { describe, expect, it } from 'vitest'
import { settle, testClock, until } from './support/clock.ts'
import { testLog } from './support/log.ts'
import { testPlugin } from './support/plugin.ts'
import { texts } from './support/run.ts'
import { TestSink } from './support/sink.ts'
import { TestSource } from './support/source.ts'

const permanent = new MqbError({ kind: 'permanent', code: 'MQB_TEST_BAD', what: 'bad' })

function setUp(sources: Record<string, TestSource>, sinks: Record<string, TestSink>, ordered = false) {
  const log = testLog()
  const clock = testClock()
  const bridge = createBridge({ plugins: [testPlugin(sources, sinks, ordered)], log, clock, random: () => 0 })
  return { bridge, log, clock }
}

const route = (source: string, sink: string, options: object = {}) => ({
  input: { source: { name: source } },
  output: { sink: { name: sink } },
  ...options,
})

describe('a bridge', () => {
  it('runs a route with a handler from its start to its end', async () => {
    const sink = new TestSink()
    const { bridge } = setUp({ a: new TestSource(texts(3), { end: 'end' }) }, { b: sink })
    const orders = bridge
      .route('orders', route('a', 'b'))
      .withHandler(message => message.derive(`${message.text()}!`))
    await orders.start()
    expect(await orders.join()).toMatchObject({ outcome: 'completed', counts: { delivered: 3 } })
    expect(sink.delivered).toEqual(['m0!', 'm1!', 'm2!'])
    expect(orders.status()).toMatchObject({ name: 'orders', state: 'completed', healthy: true })
  })

  it('refuses a name twice, and a configuration with mistakes, before anything opens', async () => {
    const source = new TestSource([])
    const { bridge } = setUp({ a: source }, { b: new TestSink() })
    bridge.route('orders', route('a', 'b'))
    expect(() => bridge.route('orders', route('a', 'b'))).toThrow(
      expect.objectContaining({ kind: 'config', code: 'MQB_ROUTE_NAME_TAKEN' }),
    )
    expect(() => bridge.route('other', { input: { sauce: {} }, output: {} })).toThrow(
      expect.objectContaining({ kind: 'config' }),
    )
    expect(source.opened).toBe(0)
  })

  it('starts all enabled routes, says which did not start, and keeps the others running', async () => {
    const broken = new TestSource([])
    broken.openFaults.push(() => {
      throw permanent
    })
    const { bridge } = setUp(
      { good: new TestSource([], { end: 'wait' }), broken, off: new TestSource([]) },
      { b: new TestSink() },
    )
    bridge.route('good', route('good', 'b'))
    bridge.route('broken', route('broken', 'b'))
    bridge.route('off', route('off', 'b', { enabled: false }))
    const report = await bridge.start()
    expect(report.started).toEqual(['good'])
    expect(report.failed).toMatchObject([{ name: 'broken', error: { code: 'MQB_TEST_BAD' } }])
    expect(bridge.status().map(({ name, state }) => [name, state])).toEqual([
      ['good', 'running'],
      ['broken', 'failed'],
      ['off', 'stopped'],
    ])
    const results = await bridge.stop()
    expect(results.get('good')?.outcome).toBe('stopped')
    expect(results.get('broken')?.outcome).toBe('failed')
    expect(results.has('off')).toBe(false)
  })

  it('stops everything when it is disposed of', async () => {
    const source = new TestSource([], { end: 'wait' })
    const { bridge } = setUp({ a: source }, { b: new TestSink() })
    await bridge.route('orders', route('a', 'b')).start()
    expect(source.open).toBe(1)
    await bridge[Symbol.asyncDispose]()
    expect(source.open).toBe(0)
  })

  it('runs a route again after it has ended', async () => {
    const source = new TestSource(texts(2))
    const { bridge } = setUp({ a: source }, { b: new TestSink() })
    const orders = bridge.route('orders', route('a', 'b')).withOptions({ drain: true })
    await orders.start()
    await orders.join()
    source.add('m2')
    await orders.start()
    expect((await orders.join()).counts.delivered).toBe(1)
  })

  it('lets nothing be changed on a route that runs', async () => {
    const { bridge } = setUp({ a: new TestSource([], { end: 'wait' }) }, { b: new TestSink() })
    const orders = bridge.route('orders', route('a', 'b'))
    await orders.start()
    expect(() => orders.withHandler(() => null)).toThrow(TypeError)
    expect(() => orders.addHandler('x', () => null)).toThrow(TypeError)
    expect(() => orders.withOptions({ concurrency: 2 })).toThrow(TypeError)
    await expect(orders.start()).rejects.toThrow(TypeError)
    await orders.stop()
    orders.withOptions({ concurrency: 2 })
    expect(orders.plan.options.concurrency).toBe(2)
  })

  it('refuses option values that the configuration would refuse', () => {
    const { bridge } = setUp({ a: new TestSource([]) }, { b: new TestSink() })
    const orders = bridge.route('orders', route('a', 'b'))
    expect(() => orders.withOptions({ concurrency: 0 })).toThrow(/concurrency/)
    expect(() => orders.withOptions({ limit: 0 })).toThrow(/limit/)
    expect(() => orders.withOptions({ waitMs: -1 })).toThrow(/waitMs/)
  })

  it('rejects join of a failed route with its error', async () => {
    const source = new TestSource([])
    source.receiveFaults.push(() => {
      throw permanent
    })
    const { bridge } = setUp({ a: source }, { b: new TestSink() })
    const orders = bridge.route('orders', route('a', 'b'))
    await orders.start().catch(() => {})
    await expect(orders.join()).rejects.toMatchObject({ code: 'MQB_TEST_BAD' })
    expect((await orders.ended()).outcome).toBe('failed')
  })

  it('stops running and later routes once a shutdown was requested', async () => {
    const later = new TestSource(texts(1), { end: 'wait' })
    const { bridge } = setUp({ a: new TestSource([], { end: 'wait' }), later }, { b: new TestSink() })
    const orders = bridge.route('orders', route('a', 'b'))
    await orders.start()
    expect(bridge.isShutdownRequested).toBe(false)
    expect(bridge.requestShutdown()).toBe(true)
    expect(bridge.requestShutdown()).toBe(false)
    expect((await orders.join()).outcome).toBe('stopped')
    const second = bridge.route('later', route('later', 'b'))
    await second.start()
    expect((await second.join()).outcome).toBe('stopped')
    expect(later.opened).toBe(0)
  })

  it('knows the secrets of its routes', () => {
    const { bridge } = setUp({ a: new TestSource([]) }, { b: new TestSink() })
    bridge.route('orders', {
      input: { source: { name: 'a', password: 'correct horse' } },
      output: { sink: { name: 'b' } },
    })
    expect(bridge.secrets.scrub('it was correct horse')).toBe('it was ***')
  })

  it('forgets a route, stopping it first', async () => {
    const source = new TestSource([], { end: 'wait' })
    const { bridge } = setUp({ a: source }, { b: new TestSink() })
    await bridge.route('orders', route('a', 'b')).start()
    expect(await bridge.remove('orders')).toBe(true)
    expect(await bridge.remove('orders')).toBe(false)
    expect(source.open).toBe(0)
    expect(bridge.routes()).toEqual([])
  })

  it('chooses among typed handlers, with a plain one as the fallback', async () => {
    const source = new TestSource(['{"n":1}', 'other'], { end: 'end' })
    const sink = new TestSink()
    const { bridge } = setUp({ a: source }, { b: sink })
    const orders = bridge
      .route('orders', route('a', 'b'))
      .addHandler('never', () => null)
      .withHandler(message => message)
    await orders.start()
    await orders.join()
    expect(sink.delivered).toEqual(['{"n":1}', 'other'])
  })
})

describe('a store', () => {
  it('that nobody provides is an error that says what is there', async () => {
    const { storeOpener } = await import('../../src/runtime/bridge/open-store.ts')
    const { bench } = await import('./support/chains.ts')
    const { createRegistry } = await import('@mqb/core/config')
    const { opening } = bench(testClock())
    const registry = createRegistry({
      plugins: [
        {
          name: 'mqb-plugin-stores',
          contract: 1,
          stores: { box: { summary: 'A box.', examples: ['box://x'], dedup: async () => ({}) as never } },
        },
      ],
    })
    const open = storeOpener(registry)
    await expect(open('state', 'box://x', opening)).rejects.toMatchObject({
      kind: 'config',
      code: 'MQB_STORE_KIND',
    })
    await expect(open('dedup', 'bax://user:secret@x', opening)).rejects.toMatchObject({
      code: 'MQB_STORE_UNKNOWN',
      what: expect.not.stringContaining('secret'),
      mend: expect.stringContaining('box'),
    })
    expect(await open('dedup', 'box://x', opening)).toEqual({})
    await expect(open('dedup', '/var/lib/x', opening)).rejects.toMatchObject({ code: 'MQB_STORE_UNKNOWN' })
  })
})

describe('a publisher without a route', () => {
  it('opens at the first call and sends, one or many', async () => {
    const sink = new TestSink()
    const { bridge } = setUp({}, { b: sink })
    const publisher = bridge.publisher({ sink: { name: 'b' } })
    expect(sink.opened).toBe(0)
    expect(publisher.status().healthy).toBe(false)
    await publisher.send(new Message('one'))
    await publisher.sendBatch([new Message('two'), new Message('three')])
    await publisher.sendJson({ four: 4 })
    expect(sink.delivered).toEqual(['one', 'two', 'three', '{"four":4}'])
    expect(publisher.status().healthy).toBe(true)
    await publisher.close()
    await publisher.close()
    expect(sink.open).toBe(0)
    await expect(publisher.send(new Message('x'))).rejects.toMatchObject({ code: 'MQB_CLOSED' })
    expect(() => publisher.status()).toThrow(expect.objectContaining({ code: 'MQB_CLOSED' }))
  })

  it('rejects a batch of which some failed with their number, positions and the first error', async () => {
    const sink = new TestSink(messages =>
      messages.map((_message, at) => (at % 2 === 0 ? ack() : failure(permanent))),
    )
    const { bridge } = setUp({}, { b: sink })
    const publisher = bridge.publisher({ sink: { name: 'b' } })
    await expect(publisher.sendBatch(texts(4).map(text => new Message(text)))).rejects.toMatchObject({
      kind: 'permanent',
      code: 'MQB_SEND_FAILED',
      what: '2 of 4 messages failed, the first one: bad',
      details: { positions: [1, 3] },
      cause: permanent,
    })
    await expect(publisher.send(new Message('x'))).resolves.toBe(undefined)
  })

  it('resolves a request to its answer, and rejects where there is none', async () => {
    const sink = new TestSink(messages =>
      messages.map(message =>
        message.text() === 'quiet' ? ack() : reply(message.derive(`"re ${message.text().length}"`)),
      ),
    )
    const { bridge } = setUp({}, { b: sink })
    const publisher = bridge.publisher({ sink: { name: 'b' } })
    expect((await publisher.request(new Message('hello'))).text()).toBe('"re 5"')
    expect(await publisher.requestJson(['x'])).toBe('re 5')
    await expect(publisher.request(new Message('quiet'))).rejects.toMatchObject({ code: 'MQB_NO_REPLY' })
  })

  it('fails a call when it cannot connect in time, and works when it can again', async () => {
    const sink = new TestSink()
    for (let at = 0; at < 3; at++)
      sink.openFaults.push(() => {
        throw new Error('refused')
      })
    const clock = testClock()
    const bridge = createBridge({
      plugins: [testPlugin({}, { b: sink })],
      clock,
      log: testLog(),
      random: () => 0.99,
    })
    const publisher = bridge.publisher({ sink: { name: 'b' } })
    sink.openFaults.unshift(
      ...Array.from({ length: 20 }, () => () => {
        throw new Error('refused')
      }),
    )
    const sent = publisher.send(new Message('x')).catch((reason: unknown) => reason)
    await clock.advance(5000)
    expect(await sent).toMatchObject({ kind: 'connection', code: 'MQB_START_TIMEOUT' })
    sink.openFaults.length = 0
    await clock.advance(10_000)
    await publisher.send(new Message('y'))
    expect(sink.delivered).toEqual(['y'])
    await publisher.close()
    expect(clock.pending).toBe(0)
  })
})

describe('a consumer without a route', () => {
  it('polls, and keeps what it polled open until it is committed', async () => {
    const source = new TestSource(texts(5), { end: 'wait' })
    const { bridge } = setUp({ a: source }, {})
    const consumer = bridge.consumer({ source: { name: 'a' } })
    expect((await consumer.poll(2)).map(message => message.text())).toEqual(['m0', 'm1'])
    expect(await consumer.poll(2)).toHaveLength(2)
    expect(source.settled).toEqual([])
    await consumer.commit()
    expect(source.settled).toEqual(['m0', 'm1', 'm2', 'm3'])
    await consumer.poll()
    await consumer.close()
    await consumer.close()
    expect(source.remaining).toBe(1)
    await expect(consumer.poll()).rejects.toMatchObject({ code: 'MQB_CLOSED' })
    expect(() => consumer.status()).toThrow()
  })

  it('answers an empty list when the time is over or the source has ended', async () => {
    const source = new TestSource([], { end: 'wait' })
    const { bridge, clock } = setUp({ a: source, e: new TestSource([], { end: 'end' }) }, {})
    const consumer = bridge.consumer({ source: { name: 'a' } })
    const polled = consumer.poll(10, 1000)
    await clock.advance(1000)
    expect(await polled).toEqual([])
    expect(consumer.exhausted).toBe(false)
    source.add('m0')
    expect(await consumer.poll(10, 1000)).toHaveLength(1)
    await consumer.close()
    const ended = bridge.consumer({ source: { name: 'e' } })
    expect(await ended.poll()).toEqual([])
    expect(ended.exhausted).toBe(true)
    await ended.close()
    expect(clock.pending).toBe(0)
  })

  it('acks and nacks batch by batch', async () => {
    const source = new TestSource(texts(4), { end: 'wait' })
    const { bridge } = setUp({ a: source }, {})
    await using consumer = bridge.consumer({ source: { name: 'a' } })
    const first = await consumer.pollBatch(2)
    const second = await consumer.pollBatch(2)
    await consumer.ack(second.token)
    await consumer.nack(first.token)
    expect(source.settled).toEqual(['m2', 'm3'])
    expect((await consumer.poll()).map(message => message.text())).toEqual(['m0', 'm1'])
    await consumer.nack()
    expect(source.remaining).toBe(2)
    await expect(consumer.ack(second.token)).rejects.toThrow(TypeError)
  })

  it('refuses to ack out of order where the source is committed in order', async () => {
    const source = new TestSource(texts(4), { end: 'wait', ordered: true })
    const { bridge } = setUp({ a: source }, {}, true)
    await using consumer = bridge.consumer({ source: { name: 'a' } })
    const first = await consumer.pollBatch(2)
    const second = await consumer.pollBatch(2)
    await expect(consumer.ack(second.token)).rejects.toMatchObject({ code: 'MQB_ACK_ORDER' })
    await consumer.ack(first.token)
    await consumer.ack(second.token)
    expect(source.position).toBe(4)
  })

  it('keeps what is behind a failed commit open for another try', async () => {
    const source = new TestSource(texts(4), { end: 'wait' })
    source.commitFaults.push(
      () => {},
      () => {
        throw new Error('gone')
      },
    )
    const { bridge } = setUp({ a: source }, {})
    await using consumer = bridge.consumer({ source: { name: 'a' } })
    await consumer.poll(1)
    await consumer.poll(1)
    await consumer.poll(1)
    await expect(consumer.commit()).rejects.toMatchObject({ kind: 'connection' })
    expect(source.settled).toEqual(['m0'])
    await consumer.commit()
  })

  it('can be iterated over; a batch is acked when the loop goes on behind it', async () => {
    const source = new TestSource(texts(5), { end: 'end', maxBatch: 2 })
    const { bridge } = setUp({ a: source }, {})
    await using consumer = bridge.consumer({ source: { name: 'a' } })
    const seen: string[] = []
    for await (const message of consumer) {
      seen.push(message.text())
      if (message.text() === 'm2') expect(source.settled).toEqual(['m0', 'm1'])
    }
    expect(seen).toEqual(texts(5))
    expect(source.settled).toEqual(texts(5))
  })
})

describe('the status of a route', () => {
  it('tells a send that does not answer after a minute', async () => {
    const source = new TestSource(texts(1), { end: 'wait' })
    let answer = (): void => {}
    const sink = new TestSink(async (): Promise<Outcomes> => {
      await new Promise<void>(resolve => {
        answer = resolve
      })
      return ALL_ACKED
    })
    const { bridge, clock } = setUp({ a: source }, { b: sink })
    const orders = bridge.route('orders', route('a', 'b'))
    await orders.start()
    await until(() => sink.running === 1)
    await clock.advance(59_000)
    expect(orders.status().state).toBe('running')
    await clock.advance(1200)
    expect(orders.status()).toMatchObject({
      state: 'degraded',
      reason: 'send pending',
      healthy: false,
      output: { healthy: false, details: { state: 'send pending' } },
    })
    expect(orders.status().sinceMs).toBeLessThanOrEqual(clock.now())
    answer()
    await settle()
    expect(orders.status()).toMatchObject({ state: 'running', healthy: true })
    await orders.stop()
  })

  it('tells batches that fail for good, with the number and the last reason', async () => {
    const source = new TestSource(texts(3), { end: 'wait' })
    const sink = new TestSink(messages => messages.map(() => failure(permanent)))
    const { bridge } = setUp({ a: source }, { b: sink })
    const orders = bridge.route('orders', route('a', 'b'))
    await orders.start()
    await until(() => source.settled.length === 3)
    expect(orders.status()).toMatchObject({
      state: 'degraded',
      counts: { dropped: 3 },
      error: expect.stringContaining('3 messages were dropped'),
    })
    await orders.stop()
    expect(orders.status()).toMatchObject({
      state: 'stopped',
      outcome: 'stopped',
      healthy: true,
      balanced: true,
    })
  })

  it('has a smoothed rate and an average', async () => {
    const source = new TestSource([], { end: 'wait' })
    const { bridge, clock } = setUp({ a: source }, { b: new TestSink() })
    const orders = bridge.route('orders', route('a', 'b'))
    await orders.start()
    for (let at = 0; at < 50; at++) {
      source.add(...texts(20))
      await clock.advance(200)
    }
    const status = orders.status()
    expect(status.rate).toBeGreaterThan(95)
    expect(status.rate).toBeLessThan(105)
    expect(status.average).toBeCloseTo(100, 0)
    expect(status.messages).toBe(1000)
    await clock.advance(10_000)
    expect(orders.status().rate).toBe(0)
    expect(orders.status().average).toBeCloseTo(100, 0)
    await orders.stop()
  })

  it('logs the first ten drops of a second in full and the others as one line', async () => {
    const source = new TestSource(texts(100), { end: 'wait' })
    const sink = new TestSink(messages => messages.map(() => failure(permanent)))
    const { bridge, clock, log } = setUp({ a: source }, { b: sink })
    const orders = bridge.route('orders', route('a', 'b'))
    await orders.start()
    await until(() => source.settled.length === 100)
    expect(log.withCode('MQB_MESSAGE_DROPPED')).toHaveLength(10)
    await clock.advance(1000)
    const lines = log.withCode('MQB_MESSAGE_DROPPED')
    expect(lines).toHaveLength(11)
    expect(lines[10]).toMatchObject({ level: 'error', fields: { count: 90, route: 'orders' } })
    expect(lines[0]?.fields.id).toMatch(/^[0-9a-f-]{36}$/)
    source.add('late')
    await until(() => source.settled.length === 101)
    expect(log.withCode('MQB_MESSAGE_DROPPED')).toHaveLength(12)
    await orders.stop()
  })

  it('says the guarantee in one line at the start', async () => {
    const { bridge, log } = setUp({ a: new TestSource([], { end: 'end' }) }, { b: new TestSink() })
    const orders = bridge.route('orders', route('a', 'b'))
    await orders.start()
    await orders.join()
    expect(log.withCode('MQB_ROUTE_STARTING')).toMatchObject([
      {
        level: 'info',
        fields: { source: 'source', sink: 'sink', guarantee: 'at-least-once', route: 'orders' },
      },
    ])
  })
})
