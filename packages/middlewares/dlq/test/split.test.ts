import {
  ack,
  defineEndpoint,
  defineMiddleware,
  definePlugin,
  expand,
  Message,
  noCapabilities,
  wrapConsumer,
} from '@mqb/core'
import { createBridge } from '@mqb/core/runtime'
import {
  createFakeClock,
  createRecordingLogger,
  createReferenceConnector,
  type PublisherScript,
  payloadTexts,
  scriptedPublisher,
} from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import dlq from '../src/index.ts'

/** Makes one message of each member of a JSON array. */
const split = definePlugin({
  name: 'split',
  middlewares: {
    split: defineMiddleware({
      summary: 'Splits arrays.',
      config: { type: 'object' },
      examples: [{ title: 'Any array', side: 'input', config: {} }],
      changes: capabilities => ({ ...capabilities, stableId: false }),
      wrapConsumer: inner =>
        wrapConsumer(inner, {
          async receive(limit, signal) {
            const batch = await inner.receive(limit, signal)
            const parts: Message[] = []
            const owners: number[] = []
            for (const [owner, message] of batch.messages.entries())
              for (const member of message.json() as unknown[]) {
                parts.push(Message.fromJson(member))
                owners.push(owner)
              }
            return expand(batch, parts, owners, ack('filtered'))
          },
        }),
    }),
  },
})

function world(scripts: { sink: PublisherScript; parking?: PublisherScript }) {
  const clock = createFakeClock()
  const reference = createReferenceConnector()
  const sink = scriptedPublisher(scripts.sink, clock)
  const parking = scriptedPublisher(scripts.parking, clock)
  const endpoint = (publisher: typeof sink) =>
    defineEndpoint({
      summary: 'A sink of the test.',
      config: { type: 'object' },
      examples: [{ title: 'The sink', side: 'output', config: {} }],
      describe: () => 'sink',
      capabilities: () => ({ ...noCapabilities, acks: true }),
      openPublisher: async () => publisher,
    })
  const ends = definePlugin({ name: 'ends', endpoints: { sink: endpoint(sink), parking: endpoint(parking) } })
  const bridge = createBridge({
    plugins: [dlq, split, ends, reference.plugin],
    clock,
    log: createRecordingLogger('warn'),
    random: () => 0.5,
  })
  for (const text of ['[{"id":1},{"id":"bad"},{"id":3}]', '[]'])
    reference.channel('in').store(new Message(text))
  const route = bridge
    .route('r', {
      input: { reference: { channel: 'in' }, middlewares: [{ split: {} }] },
      output: { sink: {}, middlewares: [{ dlq: { endpoint: { parking: {} } } }] },
    })
    .withOptions({ drain: true })
  return { clock, sink, parking, route }
}

const refusesBad: PublisherScript = message => (message.text().includes('bad') ? 'permanent' : 'ack')

describe('a message that was split, one part of which can not be delivered', () => {
  it('is settled when every part is delivered or dead-lettered, and an empty one at once', async () => {
    const { route, clock, sink, parking } = world({ sink: refusesBad })
    await route.start()
    await clock.advance(5000)
    const { outcome, counts } = await route.join()
    expect(outcome).toBe('completed')
    expect(counts).toMatchObject({ in: 2, filtered: 1, dropped: 0, returned: 0, inFlight: 0 })
    expect(counts.delivered + counts.deadLettered).toBe(1)
    expect(payloadTexts(sink.delivered)).toEqual(['{"id":1}', '{"id":3}'])
    expect(payloadTexts(parking.delivered)).toEqual(['{"id":"bad"}'])
  })

  it('stays with its source while the dead letter of its part is not written', async () => {
    let works = false
    const { route, clock, sink, parking } = world({
      sink: refusesBad,
      parking: () => (works ? 'ack' : 'retryable'),
    })
    await route.start()
    await clock.advance(3000)
    expect(route.status().counts).toMatchObject({ delivered: 0, deadLettered: 0, dropped: 0, filtered: 1 })
    works = true
    await clock.advance(10_000)
    expect(await route.join()).toMatchObject({ outcome: 'completed', counts: { dropped: 0, inFlight: 0 } })
    expect(payloadTexts(parking.delivered)).toEqual(['{"id":"bad"}'])
    // The other parts came again with it: doubled, never lost, and never with a failed part among them.
    expect(new Set(payloadTexts(sink.delivered))).toEqual(new Set(['{"id":1}', '{"id":3}']))
  })
})
