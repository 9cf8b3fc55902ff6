import { type EndpointConfig, type Message, type MiddlewareConfigs, MqbError } from '@mqb/core'
import { type Bridge, createBridge } from '@mqb/core/runtime'
import dlq from '@mqb/dlq'
import {
  createRecordingLogger,
  createReferenceConnector,
  payloadTexts,
  type ReferenceConnector,
  textMessages,
} from '@mqb/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import filter from '../src/index.ts'
import { numbers } from './world.ts'

function world(messages: readonly Message[]) {
  const reference = createReferenceConnector()
  for (const message of messages) reference.channel('in').store(message)
  const log = createRecordingLogger('warn')
  const bridge = createBridge({ plugins: [filter, dlq, reference.plugin], log, random: () => 0 })
  onTestFinished(async () => {
    await bridge.stop()
  })
  return { bridge, reference, log }
}

const delivered = (reference: ReferenceConnector, channel = 'out'): string[] =>
  payloadTexts(reference.channel(channel).stored.map(entry => entry.message))

interface Filters {
  readonly input?: MiddlewareConfigs['filter']
  readonly output?: NonNullable<EndpointConfig['middlewares']>
  readonly order?: 'any' | 'ordered'
  readonly options?: object
}

async function drain(bridge: Bridge, { input, output, order = 'any', options = {} }: Filters) {
  const route = bridge
    .route('orders', {
      batch_size: 8,
      ...options,
      input: {
        reference: { channel: 'in', order },
        ...(input === undefined ? {} : { middlewares: [{ filter: input }] }),
      },
      output: {
        reference: { channel: 'out' },
        ...(output === undefined ? {} : { middlewares: output }),
      },
    })
    .withOptions({ drain: true })
  await route.start()
  return { result: await route.join().catch((error: unknown) => error), route }
}

describe.each(['any', 'ordered'] as const)(
  'a route with a filter, from a source committed in %s order',
  order => {
    it('delivers what the input keeps and accounts for all', async () => {
      const { bridge, reference, log } = world(textMessages(...numbers(1, 1000)))
      const { result } = await drain(bridge, { input: 'n % 3 == 0', order, options: { concurrency: 4 } })
      expect(result).toMatchObject({
        outcome: 'completed',
        counts: { in: 1000, delivered: 333, filtered: 667, returned: 0, dropped: 0, inFlight: 0 },
      })
      expect(delivered(reference).sort()).toEqual(
        numbers(1, 1000)
          .filter((_, index) => (index + 1) % 3 === 0)
          .sort(),
      )
      const { committed, ready } = reference.channel('in')
      expect(order === 'ordered' ? committed : 1000 - ready.length).toBe(1000)
      expect(log.lines).toEqual([])
    })

    it('delivers what the output keeps and accounts for all', async () => {
      const { bridge, reference } = world(textMessages(...numbers(1, 1000)))
      const { result, route } = await drain(bridge, {
        output: [{ filter: 'n % 3 == 0' }],
        order,
        options: { concurrency: 4 },
      })
      expect(result).toMatchObject({
        outcome: 'completed',
        counts: { in: 1000, delivered: 333, filtered: 667, returned: 0 },
      })
      expect(route.status().counters).toMatchObject({
        'orders.output.middlewares[0].filter': { filtered: 667 },
      })
      expect(delivered(reference)).toHaveLength(333)
    })

    it('ends at once where nothing is kept', async () => {
      const { bridge } = world(textMessages(...numbers(1, 100)))
      const { result } = await drain(bridge, { input: 'n > 1000', order })
      expect(result).toMatchObject({ outcome: 'completed', counts: { in: 100, filtered: 100, delivered: 0 } })
    })

    it('keeps batches full between source and sink', async () => {
      const { bridge, reference } = world(textMessages(...numbers(1, 64)))
      const sizes: number[] = []
      const inner = reference.plugin.endpoints!.reference!
      const open = inner.openPublisher!
      inner.openPublisher = async (config, opening) => {
        const publisher = await open.call(inner, config, opening)
        return {
          send(messages, signal) {
            sizes.push(messages.length)
            return publisher.send(messages, signal)
          },
          flush: () => publisher.flush(),
          status: () => publisher.status(),
          close: () => publisher.close(),
        }
      }
      await drain(bridge, { input: 'n % 2 == 0', order })
      expect(sizes).toEqual([8, 8, 8, 8])
    })
  },
)

describe('a message that cannot be judged', () => {
  const mixed = () => textMessages('{"n":2}', 'no JSON', '{"n":4}')

  it('on an input ends the route as failed, and nothing of its batch is committed', async () => {
    const { bridge, reference } = world(mixed())
    const { result, route } = await drain(bridge, { input: 'n > 1' })
    expect(MqbError.is(result) || (result as { outcome: string }).outcome === 'failed').toBe(true)
    expect(route.status()).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('MQB_EXPRESSION_PAYLOAD orders.input.middlewares[0].filter'),
      counts: { delivered: 0, filtered: 0, dropped: 0, returned: 3 },
    })
    expect(delivered(reference)).toEqual([])
  })

  it('on an output fails its batch for good, and the route is degraded with the reason', async () => {
    const { bridge, reference } = world(mixed())
    const route = bridge.route('orders', {
      input: { reference: { channel: 'in' } },
      output: { reference: { channel: 'out' }, middlewares: [{ filter: 'n > 1' }] },
    })
    await route.start()
    while (route.status().counts.dropped < 3) await new Promise(resolve => setImmediate(resolve))
    expect(route.status()).toMatchObject({
      state: 'degraded',
      reason: expect.stringContaining('MQB_EXPRESSION_PAYLOAD'),
      counts: { in: 3, dropped: 3, delivered: 0, returned: 0 },
    })
    expect(delivered(reference)).toEqual([])
  })

  it('on an output goes to the dlq with its whole batch', async () => {
    const { bridge, reference } = world(mixed())
    const { result } = await drain(bridge, {
      output: [{ filter: 'n > 1' }, { dlq: { endpoint: { reference: { channel: 'dead' } } } }],
    })
    expect(result).toMatchObject({ outcome: 'completed', counts: { deadLettered: 3, dropped: 0 } })
    expect(delivered(reference, 'dead')).toEqual(['{"n":2}', 'no JSON', '{"n":4}'])
  })

  it.each(['input', 'output'] as const)('is left out alone on an %s with on_error: drop', async side => {
    const { bridge, reference } = world(mixed())
    const config = { expression: 'n > 1', on_error: 'drop' } as const
    const { result } = await drain(
      bridge,
      side === 'input' ? { input: config } : { output: [{ filter: config }] },
    )
    expect(result).toMatchObject({
      outcome: 'completed',
      counts: { in: 3, delivered: 2, filtered: 1, dropped: 0 },
    })
    expect(delivered(reference)).toEqual(['{"n":2}', '{"n":4}'])
  })
})
