import { ALL_ACKED, type Consumer, type Publisher, wrapPublisher } from '@mqb/core'
import {
  createFakeClock,
  createTestOpening,
  numberedMessages,
  type PublisherScript,
  scriptedConsumer,
  scriptedPublisher,
} from '@mqb/testkit'
import { Registry } from 'prom-client'
import { beforeEach, describe, expect, it } from 'vitest'
import plugin, { forgetRoute, metricsRegistry } from '../src/index.ts'

const definition = plugin.middlewares!.metrics!
const live = new AbortController().signal
const limit = { messages: 1000, bytes: 1 << 20 }

beforeEach(() => metricsRegistry.resetMetrics())

async function output(script: PublisherScript, route = 'orders') {
  const clock = createFakeClock()
  const opening = createTestOpening({ clock, route })
  const publisher: Publisher = await definition.wrapPublisher!(scriptedPublisher(script, clock), {}, opening)
  return { clock, publisher }
}

/** Value of a series, `undefined` when there is none. */
async function value(name: string, labels: Record<string, string>): Promise<number | undefined> {
  for (const metric of await metricsRegistry.getMetricsAsJSON())
    for (const series of metric.values as readonly {
      value: number
      labels: Record<string, string | number>
      metricName?: string
    }[])
      if (
        (series.metricName ?? metric.name) === name &&
        Object.entries(labels).every(([label, text]) => String(series.labels[label]) === text)
      )
        return series.value
  return undefined
}

const processed = 'queue_messages_processed_total'
const duration = 'queue_message_processing_duration_seconds'

describe('metrics on an output', () => {
  it('counts what was acked or replied to, and nothing that failed', async () => {
    const { publisher } = await output(['ack', { reply: 'r' }, 'permanent', 'retryable', 'connection'])
    await publisher.send(numberedMessages(5), live)
    expect(await value(processed, { route: 'orders', endpoint: 'output' })).toBe(2)
    const throwing = await output([{ throws: new Error('bug') }])
    await expect(throwing.publisher.send(numberedMessages(5), live)).rejects.toThrow('bug')
    expect(await value(processed, { route: 'orders', endpoint: 'output' })).toBe(2)
  })

  it('observes the time of a batch divided by its messages, once for the batch', async () => {
    const { publisher, clock } = await output(() => ({ afterMs: 1000, answer: 'ack' }))
    const sending = publisher.send(numberedMessages(100), live)
    await clock.advance(1000)
    await sending
    const labels = { route: 'orders', endpoint: 'output' }
    expect(await value(`${duration}_count`, labels)).toBe(1)
    expect(await value(`${duration}_sum`, labels)).toBeCloseTo(0.01, 9)
    expect(await value(`${duration}_bucket`, { ...labels, le: '0.01' })).toBe(1)
    expect(await value(`${duration}_bucket`, { ...labels, le: '0.005' })).toBe(0)
  })

  it('takes ALL_ACKED for as many successes as there are messages', async () => {
    const inner = wrapPublisher(scriptedPublisher(), { send: async () => ALL_ACKED })
    const publisher = await definition.wrapPublisher!(inner, {}, createTestOpening({ route: 'orders' }))
    expect(await publisher.send(numberedMessages(7), live)).toBe(ALL_ACKED)
    expect(await value(processed, { route: 'orders', endpoint: 'output' })).toBe(7)
  })
})

describe('metrics on an input', () => {
  it('counts on receive, with the time spent waiting, and nothing for an empty batch', async () => {
    const clock = createFakeClock()
    const inner = scriptedConsumer([{ afterMs: 2000, step: ['a', 'b'] }, []], { clock })
    const opening = createTestOpening({ clock, route: 'orders', side: 'input' })
    const consumer: Consumer = await definition.wrapConsumer!(inner, {}, opening)
    const receiving = consumer.receive(limit, live)
    await clock.advance(2000)
    await receiving
    await consumer.receive(limit, live)
    const labels = { route: 'orders', endpoint: 'input' }
    expect(await value(processed, labels)).toBe(2)
    expect(await value(`${duration}_sum`, labels)).toBe(1)
    expect(await value(`${duration}_count`, labels)).toBe(1)
    expect(inner.commits).toEqual([])
  })
})

describe('the series', () => {
  async function seriesCount(): Promise<number> {
    return (await metricsRegistry.metrics()).split('\n').filter(line => line !== '' && !line.startsWith('#'))
      .length
  }

  it('are as many after any number of messages with any metadata', async () => {
    const { publisher } = await output([])
    await publisher.send(numberedMessages(1), live)
    const before = await seriesCount()
    for (let file = 0; file < 500; file++)
      await publisher.send(
        numberedMessages(2, file, { 'mqb.src.path': `/in/${file}.csv`, 'mqb.src.peer': `10.0.0.1:${file}` }),
        live,
      )
    expect(await seriesCount()).toBe(before)
    expect(await metricsRegistry.metrics()).not.toMatch(/\.csv|10\.0\.0\.1/)
  })

  it('are zero before the first message, so that a rate has something to begin at', async () => {
    await output([], 'new')
    expect(await value(processed, { route: 'new', endpoint: 'output' })).toBe(0)
  })

  it('go away with their route', async () => {
    const { publisher } = await output([], 'leaving')
    await publisher.send(numberedMessages(1), live)
    expect(await metricsRegistry.metrics()).toContain('route="leaving"')
    forgetRoute('leaving')
    forgetRoute('never-there')
    expect(await metricsRegistry.metrics()).not.toContain('route="leaving"')
  })

  it('count on in a route that starts again', async () => {
    for (let start = 0; start < 2; start++) {
      const { publisher } = await output([])
      await publisher.send(numberedMessages(3), live)
      await publisher.close()
    }
    expect(await value(processed, { route: 'orders', endpoint: 'output' })).toBe(6)
  })

  it('can be merged into the registry of a host', async () => {
    const merged = Registry.merge([new Registry(), metricsRegistry])
    expect(await merged.metrics()).toContain(processed)
  })
})
