import {
  ack,
  type Capabilities,
  defineEndpoint,
  definePlugin,
  failure,
  MqbError,
  noCapabilities,
  notSentError,
  type Outcome,
  type Publisher,
} from '@mqb/core'
import { type Bridge, createBridge } from '@mqb/core/runtime'
import {
  createFakeClock,
  createRecordingLogger,
  createReferenceConnector,
  numberedMessages,
  payloadTexts,
  scriptedPublisher,
} from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import buffer from '../src/index.ts'

/** A bridge whose routes read a channel with these messages and write to `sink`. Time stands still. */
function world(count: number, sink: Publisher, orderedPublish: Capabilities['orderedPublish'] = 'no') {
  const clock = createFakeClock()
  const reference = createReferenceConnector()
  const messages = numberedMessages(count)
  for (const message of messages) reference.channel('in').store(message)
  const plugin = definePlugin({
    name: 'sink',
    endpoints: {
      sink: defineEndpoint({
        summary: 'The sink of the test.',
        config: { type: 'object' },
        examples: [{ title: 'The sink', side: 'output', config: {} }],
        describe: () => 'sink',
        capabilities: () => ({ ...noCapabilities, acks: true, orderedPublish }),
        openPublisher: async () => sink,
      }),
    },
  })
  const bridge: Bridge = createBridge({
    plugins: [buffer, reference.plugin, plugin],
    clock,
    log: createRecordingLogger('warn'),
    random: () => 0.5,
  })
  return { bridge, clock, reference, messages, source: { channel: 'in' } }
}

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    if (turn > 10_000) throw new Error('the condition did not come true')
    await new Promise<void>(resolve => setImmediate(resolve))
  }
}

const halfHour = 1_800_000

describe('a stop with a half-filled buffer', () => {
  it('sends what the output holds at once and loses nothing', async () => {
    const sink = scriptedPublisher()
    const { bridge, clock, messages, source } = world(137, sink)
    const route = bridge.route('r', {
      concurrency: 4,
      batch_size: 50,
      input: { reference: source },
      output: { sink: {}, middlewares: [{ buffer: { max_messages: 10_000, max_delay_ms: halfHour } }] },
    })
    await route.start()
    await until(() => route.status().counts.inFlight === 137)
    expect(sink.calls).toEqual([])
    const result = await route.stop()
    expect(result).toMatchObject({
      outcome: 'stopped',
      abandoned: 0,
      counts: { in: 137, delivered: 137, returned: 0, inFlight: 0 },
    })
    expect(payloadTexts(sink.delivered)).toEqual(payloadTexts(messages))
    expect(clock.monotonic()).toBe(0)
  })

  it('hands on what the input holds at once and loses nothing', async () => {
    const sink = scriptedPublisher()
    const { bridge, clock, messages, source } = world(137, sink)
    const route = bridge.route('r', {
      batch_size: 10_000,
      input: {
        reference: source,
        middlewares: [{ buffer: { max_messages: 10_000, max_delay_ms: halfHour } }],
      },
      output: { sink: {} },
    })
    await route.start()
    await until(() => route.status().counts.in === 137)
    expect(sink.calls).toEqual([])
    const result = await route.stop()
    expect(result).toMatchObject({
      outcome: 'stopped',
      abandoned: 0,
      counts: { in: 137, delivered: 137, returned: 0, inFlight: 0 },
    })
    expect(payloadTexts(sink.delivered)).toEqual(payloadTexts(messages))
    expect(clock.monotonic()).toBe(0)
  })

  it('does not hold back what a handler is still busy with', async () => {
    const sink = scriptedPublisher()
    const { bridge, clock, source } = world(3, sink)
    let release = (): void => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    let busy = false
    const route = bridge
      .route('r', {
        input: { reference: source },
        output: { sink: {}, middlewares: [{ buffer: { max_messages: 100, max_delay_ms: halfHour } }] },
      })
      .withHandler(async message => {
        busy = true
        await released
        return message
      })
    await route.start()
    await until(() => busy)
    const stopping = route.stop()
    // The flush of the stop finds the buffer empty; the messages come after it.
    await clock.advance(100)
    release()
    expect(await stopping).toMatchObject({ abandoned: 0, counts: { delivered: 3 } })
    expect(clock.monotonic()).toBe(100)
  })

  it('gives up at the deadline on an output that never answers, and a restart delivers everything', async () => {
    let answers = false
    const silent = scriptedPublisher(() => (answers ? 'ack' : 'never'))
    const sink: Publisher = { ...silent, close: async () => {} }
    const { bridge, clock, reference, source } = world(137, sink)
    const config = {
      batch_size: 200,
      input: { reference: source },
      output: { sink: {}, middlewares: [{ buffer: { max_messages: 10_000, max_delay_ms: halfHour } }] },
    }
    const route = bridge.route('r', config)
    await route.start()
    await until(() => route.status().counts.inFlight === 137)
    const stopping = route.stop({ deadlineMs: 3000 })
    await clock.advance(4000)
    expect(await stopping).toMatchObject({
      outcome: 'stopped',
      abandoned: 137,
      counts: { delivered: 0, returned: 137, inFlight: 0 },
    })
    expect(reference.channel('in').ready).toHaveLength(137)

    answers = true
    route.withOptions({ drain: true })
    await route.start()
    await clock.advance(halfHour)
    expect(await route.join()).toMatchObject({ outcome: 'completed', counts: { delivered: 137 } })
  })
})

describe('a drain with a half-filled buffer', () => {
  it('ends with everything delivered and waits for no delay', async () => {
    const sink = scriptedPublisher()
    const { bridge, clock, source } = world(137, sink)
    const route = bridge
      .route('r', {
        concurrency: 4,
        batch_size: 50,
        input: { reference: source },
        output: { sink: {}, middlewares: [{ buffer: { max_messages: 10_000, max_delay_ms: halfHour } }] },
      })
      .withOptions({ drain: true })
    await route.start()
    await clock.advance(10_000)
    expect(await route.join()).toMatchObject({ outcome: 'completed', counts: { in: 137, delivered: 137 } })
  })
})

describe('buffer in front of an output that keeps an order', () => {
  for (const orderedPublish of ['serial', 'pipelined'] as const)
    for (const max_messages of [4, 10, 100]) {
      it(`keeps it at concurrency 1, also when messages come again (${orderedPublish}, up to ${max_messages})`, async () => {
        const written: string[] = []
        let calls = 0
        const sink: Publisher = {
          ...scriptedPublisher(),
          close: async () => {},
          async send(messages) {
            // Every third call fails at its second message and writes nothing behind it.
            const failsAt = ++calls % 3 === 0 ? 1 : Number.POSITIVE_INFINITY
            const busy = new MqbError({ kind: 'retryable', code: 'MQB_BUSY', what: 'busy' })
            return messages.map((message, index): Outcome => {
              if (index >= failsAt) return failure(index === failsAt ? busy : notSentError(busy))
              written.push((message.json() as { n: string }).n)
              return ack()
            })
          },
        }
        const { bridge, clock } = world(200, sink, orderedPublish)
        const route = bridge
          .route('r', {
            batch_size: 10,
            input: { reference: { channel: 'in', order: 'ordered' } },
            output: { sink: {}, middlewares: [{ buffer: { max_messages, max_delay_ms: 0 } }] },
          })
          .withOptions({ drain: true })
        await route.start()
        await clock.advance(600_000)
        expect(await route.join()).toMatchObject({ outcome: 'completed', counts: { delivered: 200 } })
        expect([...new Set(written)]).toEqual(Array.from({ length: 200 }, (_, n) => String(n)))
      })
    }
})
