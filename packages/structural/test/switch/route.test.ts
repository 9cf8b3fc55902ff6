import { Message, type Publisher } from '@mqb/core'
import { createBridge } from '@mqb/core/runtime'
import { createRecordingLogger, createReferenceConnector, payloadTexts } from '@mqb/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import structural from '../../src/index.ts'

/** Messages `{"n":0}` … in the channel `in`; every third has the kind `c`, and so on. */
function world(count: number) {
  const reference = createReferenceConnector()
  const kinds = ['a', 'b', 'c']
  for (let n = 0; n < count; n++)
    reference.channel('in').store(new Message(`{"n":${n}}`, { kind: kinds[n % 3] as string }))
  const log = createRecordingLogger('warn')
  const bridge = createBridge({ plugins: [structural, reference.plugin], log, random: () => 0 })
  onTestFinished(async () => {
    await bridge.stop()
  })
  const numbersIn = (channel: string): number[] =>
    payloadTexts(reference.channel(channel).stored.map(entry => entry.message)).map(
      text => (JSON.parse(text) as { n: number }).n,
    )
  return { reference, bridge, log, numbersIn }
}

const to = (channel: string) => ({ reference: { channel } })

describe.each(['any', 'ordered'] as const)(
  'a route to a switch, from a source committed in %s order',
  order => {
    const input = { reference: { channel: 'in', order } }

    it('delivers every message to its destination and accounts for all', async () => {
      const { bridge, numbersIn, log } = world(300)
      const route = bridge
        .route('orders', {
          batch_size: 7,
          concurrency: 4,
          input,
          output: { switch: { metadata_key: 'kind', cases: { a: to('a'), b: to('b') } } },
        })
        .withOptions({ drain: true })
      await route.start()
      expect(await route.join()).toMatchObject({
        outcome: 'completed',
        counts: { in: 300, delivered: 200, filtered: 100, returned: 0, dropped: 0, inFlight: 0 },
      })
      expect(numbersIn('a')).toEqual(Array.from({ length: 100 }, (_, index) => 3 * index))
      expect(numbersIn('b')).toEqual(Array.from({ length: 100 }, (_, index) => 3 * index + 1))
      expect(route.status()).toMatchObject({
        healthy: true,
        counters: { 'orders.output.switch': { unmatched: 100 } },
      })
      expect(log.lines.every(line => line.fields.code === 'MQB_SWITCH_UNMATCHED')).toBe(true)
    })

    it('loses nothing where a destination fails for a while', async () => {
      const { bridge, reference, numbersIn } = world(60)
      const endpoint = reference.plugin.endpoints!.reference!
      const open = endpoint.openPublisher!
      let failures = 5
      endpoint.openPublisher = async (config, opening): Promise<Publisher> => {
        const inner = await open.call(endpoint, config, opening)
        if ((config as { channel: string }).channel !== 'b') return inner
        return {
          async send(messages, signal) {
            if (failures-- > 0) throw new Error('busy')
            return inner.send(messages, signal)
          },
          flush: () => inner.flush(),
          status: () => inner.status(),
          close: () => inner.close(),
        }
      }
      const route = bridge
        .route('orders', {
          batch_size: 7,
          reconnect_interval_ms: 1,
          input,
          output: { switch: { metadata_key: 'kind', cases: { a: to('a'), b: to('b') }, default: to('c') } },
        })
        .withOptions({ drain: true })
      await route.start()
      const { outcome, counts } = await route.join()
      expect({ outcome, dropped: counts.dropped }).toEqual({ outcome: 'completed', dropped: 0 })
      for (const [rest, channel] of ['a', 'b', 'c'].entries())
        expect([...new Set(numbersIn(channel))].sort((x, y) => x - y)).toEqual(
          Array.from({ length: 20 }, (_, index) => 3 * index + rest),
        )
      // Where messages come again one by one, only those that failed do.
      if (order === 'any') expect(numbersIn('a')).toHaveLength(20)
    })

    it('is degraded by a payload that an expression cannot read, with the reason', async () => {
      const { bridge, reference, numbersIn } = world(2)
      reference.channel('in').store(new Message('no JSON'))
      const route = bridge.route('orders', {
        input,
        output: { switch: { when: [{ if: 'n >= 0', to: to('a') }] } },
      })
      await route.start()
      while (route.status().counts.dropped < 3) await new Promise(resolve => setImmediate(resolve))
      expect(route.status()).toMatchObject({
        state: 'degraded',
        reason: expect.stringContaining('MQB_EXPRESSION_PAYLOAD orders.output.switch.when[0].if'),
        counts: { in: 3, dropped: 3, delivered: 0 },
      })
      expect(numbersIn('a')).toEqual([])
    })
  },
)

describe('replies through a switch', () => {
  it('go to whoever asked, from the branch that answered', async () => {
    const { bridge, reference } = world(0)
    const route = bridge.route('questions', {
      input: { reference: { channel: 'in', replies: true } },
      output: {
        switch: {
          when: [{ if: 'n == 1', to: { static: 'one' } }],
          default: { response: {} },
        },
      },
    })
    await route.start()
    const answers: string[] = []
    for (const text of ['{"n":1}', '{"n":2}'])
      reference.channel('in').store(new Message(text), outcome => {
        answers.push(outcome.kind === 'reply' ? outcome.message.text() : outcome.kind)
      })
    while (answers.length < 2) await new Promise(resolve => setImmediate(resolve))
    expect(answers).toEqual(['"one"', '{"n":2}'])
  })
})
