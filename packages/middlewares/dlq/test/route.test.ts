import {
  defineEndpoint,
  definePlugin,
  failure,
  type Message,
  MqbError,
  noCapabilities,
  type Publisher,
  receivedMetadata,
} from '@mqb/core'
import { createBridge } from '@mqb/core/runtime'
import retry from '@mqb/retry'
import {
  type Answer,
  createFakeClock,
  createRecordingLogger,
  createReferenceConnector,
  numberedMessages,
  type PublisherScript,
  scriptedPublisher,
} from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import dlq from '../src/index.ts'

function world(scripts: { sink: PublisherScript; parking?: PublisherScript }) {
  const clock = createFakeClock()
  const reference = createReferenceConnector()
  const log = createRecordingLogger('warn')
  const sink = keptOpen(scriptedPublisher(scripts.sink, clock))
  const parking = keptOpen(scriptedPublisher(scripts.parking, clock))
  const endpoint = (publisher: Publisher) =>
    defineEndpoint({
      summary: 'A sink of the test.',
      config: { type: 'object' },
      examples: [{ title: 'The sink', side: 'output', config: {} }],
      describe: () => 'sink',
      capabilities: () => ({ ...noCapabilities, acks: true, orderedPublish: 'serial' }),
      openPublisher: async () => publisher,
    })
  const bridge = createBridge({
    plugins: [
      dlq,
      retry,
      reference.plugin,
      definePlugin({ name: 'ends', endpoints: { sink: endpoint(sink), parking: endpoint(parking) } }),
    ],
    clock,
    log,
    random: () => 0.5,
  })
  const route = bridge
    .route('orders', {
      batch_size: 10,
      input: { reference: { channel: 'in', order: 'ordered' } },
      output: {
        sink: {},
        middlewares: [{ retry: { max_attempts: 3 } }, { dlq: { endpoint: { parking: {} } } }],
      },
    })
    .withOptions({ drain: true })
  return { clock, reference, log, sink, parking, route }
}

/** The shell closes and reopens an endpoint; the script of the test goes on. */
function keptOpen<P extends Publisher>(publisher: P): P {
  return Object.assign(Object.create(publisher) as P, { close: async () => {} })
}

const text = (message: Message): string => (message.json() as { n: string }).n

describe('a route with retry and dlq', () => {
  it('delivers, parks and accounts for every message', async () => {
    const { route, reference, clock, sink, parking } = world({
      sink: (message, attempt) => {
        if (text(message) === '3') return 'permanent'
        if (text(message) === '7') return 'retryable'
        return text(message) === '8' && attempt === 1 ? 'retryable' : 'ack'
      },
    })
    for (const message of numberedMessages(30)) reference.channel('in').store(message)
    await route.start()
    await clock.advance(10_000)
    const { counts, outcome } = await route.join()
    expect(outcome).toBe('completed')
    expect(counts).toMatchObject({
      in: 30,
      delivered: 28,
      deadLettered: 2,
      dropped: 0,
      returned: 0,
      inFlight: 0,
    })
    expect(sink.delivered).toHaveLength(28)
    expect(parking.delivered.map(text)).toEqual(['3', '7'])
    expect(parking.delivered.map(letter => letter.getMetadata('mqb.dlq.attempts'))).toEqual(['1', '3'])
    expect(parking.delivered.map(letter => letter.getMetadata('mqb.dlq.code'))).toEqual([
      'MQB_SCRIPTED',
      'MQB_RETRY_EXHAUSTED',
    ])
    expect(route.status().counters).toMatchObject({
      'orders.output.middlewares[1].dlq': { dead_lettered: 2 },
      'orders.output.middlewares[0].retry': { exhausted: 1 },
    })
  })

  it('parks nothing while the output is away, and burns no try', async () => {
    let away = true
    const { route, reference, clock, sink, parking } = world({
      sink: () =>
        away ? { throws: new MqbError({ kind: 'connection', code: 'MQB_LOST', what: 'reset' }) } : 'ack',
    })
    for (const message of numberedMessages(10)) reference.channel('in').store(message)
    await route.start()
    await clock.advance(5000)
    expect(sink.calls.length).toBeGreaterThan(3)
    away = false
    await clock.advance(10_000)
    expect(await route.join()).toMatchObject({
      outcome: 'completed',
      counts: { delivered: 10, deadLettered: 0 },
    })
    expect(parking.calls).toEqual([])
    expect(route.status().counters['orders.output.middlewares[0].retry']).toBeUndefined()
  })

  for (const kind of ['permanent', 'retryable', 'connection'] as const) {
    it(`loses nothing when the dead-letter endpoint fails as ${kind}, and goes on when it works again`, async () => {
      let works = false
      const fails = (): Answer => failure(new MqbError({ kind, code: 'MQB_NO', what: 'no room' }))
      const { route, reference, clock, sink, parking } = world({
        sink: message => (text(message) === '4' ? 'permanent' : 'ack'),
        parking: () => (works ? 'ack' : fails()),
      })
      for (const message of numberedMessages(10)) reference.channel('in').store(message)
      await route.start()
      await clock.advance(3000)
      expect(route.status()).toMatchObject({ healthy: false })
      expect(route.status().counts).toMatchObject({ dropped: 0, deadLettered: 0 })
      works = true
      await clock.advance(10_000)
      const { outcome, counts } = await route.join()
      expect(outcome).toBe('completed')
      expect(counts).toMatchObject({ delivered: 9, deadLettered: 1, dropped: 0, inFlight: 0 })
      expect(new Set(sink.delivered.map(text)).size).toBe(9)
      expect(parking.delivered.map(text)).toEqual(['4'])
    })
  }

  it('replays dead letters with the bytes and the metadata that they had', async () => {
    let repaired = false
    const { route, reference, clock, sink, parking } = world({
      sink: message => (message.getMetadata('broken') === 'yes' && !repaired ? 'permanent' : 'ack'),
    })
    const [good, bad] = numberedMessages(2)
    const original = bad!
      .derive(Buffer.from([0x7b, 0xff, 0x00, 0x0a, 0xc3]))
      .withMetadata({ broken: 'yes', trace_id: 'abc' })
    reference.channel('in').store(good!)
    reference.channel('in').store(original)
    await route.start()
    await clock.advance(5000)
    await route.join()
    const [letter] = parking.delivered
    expect(parking.delivered).toHaveLength(1)

    repaired = true
    // What a connector does between two routes: it writes and reads payload, id and metadata.
    const replayed = letter!.withPairs(receivedMetadata(letter!.metadataPairs))
    reference.channel('in').store(replayed)
    await route.start()
    await clock.advance(5000)
    expect(await route.join()).toMatchObject({ counts: { delivered: 1, deadLettered: 0 } })
    const again = sink.delivered.at(-1)!
    expect(again.payload.equals(original.payload)).toBe(true)
    expect(again.id).toBe(original.id)
    expect(again.metadata).toMatchObject({ broken: 'yes', trace_id: 'abc' })
    const added = Object.keys(again.metadata).filter(key => !(key in original.metadata))
    expect(added.every(key => key.startsWith('mqb.dlq.') || key.startsWith('mqb.src.'))).toBe(true)
  })
})
