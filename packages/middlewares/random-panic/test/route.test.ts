import { createBridge } from '@mqb/core/runtime'
import {
  createFakeClock,
  createRecordingLogger,
  createReferenceConnector,
  numberedMessages,
  payloadTexts,
} from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import plugin, { type RandomPanicConfig } from '../src/index.ts'

type Fault = Partial<RandomPanicConfig>

function run(place: { input?: Fault; output?: Fault }, allow_fault_injection = true) {
  const clock = createFakeClock()
  const reference = createReferenceConnector()
  const messages = numberedMessages(50)
  for (const message of messages) reference.channel('in').store(message)
  const bridge = createBridge({
    plugins: [plugin, reference.plugin],
    clock,
    log: createRecordingLogger('warn'),
    random: () => 0.5,
  })
  const around = (fault: Fault | undefined) => (fault === undefined ? [] : [{ random_panic: fault }])
  const route = bridge
    .route('r', {
      allow_fault_injection,
      batch_size: 7,
      input: { reference: { channel: 'in', order: 'ordered' }, middlewares: around(place.input) },
      output: { reference: { channel: 'out' }, middlewares: around(place.output) },
    })
    .withOptions({ drain: true })
  const delivered = (): string[] => payloadTexts(reference.channel('out').stored.map(entry => entry.message))
  return { route, clock, messages, delivered }
}

describe('a route with random_panic', () => {
  for (const side of ['input', 'output'] as const)
    for (const mode of ['panic', 'disconnect', 'timeout', 'nack'] as const) {
      it(`recovers from one ${mode} on its ${side} with everything delivered in order`, async () => {
        const { route, clock, messages, delivered } = run({ [side]: { mode, trigger_on_message: 20 } })
        await route.start()
        await clock.advance(20_000)
        expect(await route.join()).toMatchObject({
          outcome: 'completed',
          counts: { delivered: 50, inFlight: 0 },
        })
        expect(delivered()).toEqual(payloadTexts(messages))
        expect(route.status().counters[`r.${side}.middlewares[0].random_panic`]).toEqual({ faults: 1 })
      })
    }

  it('drops the one message that is made undeliverable', async () => {
    const { route, clock, delivered } = run({ output: { mode: 'json_format_error', trigger_on_message: 20 } })
    await route.start()
    await clock.advance(20_000)
    expect(await route.join()).toMatchObject({ outcome: 'completed', counts: { delivered: 49, dropped: 1 } })
    expect(delivered()).not.toContain('{"n":"19"}')
  })

  it('ends a drain as failed that is faulted every time', async () => {
    const { route, clock } = run({ input: { mode: 'disconnect' } })
    await route.start()
    await clock.advance(60_000)
    expect(await route.ended()).toMatchObject({ outcome: 'failed', counts: { in: 0 } })
  })

  it('is inert where the route does not allow it', async () => {
    const { route, clock, messages, delivered } = run({ input: {}, output: {} }, false)
    await route.start()
    await clock.advance(20_000)
    expect(await route.join()).toMatchObject({ outcome: 'completed' })
    expect(delivered()).toEqual(payloadTexts(messages))
  })
})
