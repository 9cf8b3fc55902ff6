import {
  type Capabilities,
  defineEndpoint,
  definePlugin,
  failure,
  Message,
  MqbError,
  noCapabilities,
  notSentError,
  type Outcome,
  type Publisher,
} from '@mqb/core'
import { createBridge } from '@mqb/core/runtime'
import {
  createFakeClock,
  createRecordingLogger,
  createReferenceConnector,
  type FakeClock,
  scriptedPublisher,
} from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import plugin from '../src/index.ts'

interface Row {
  readonly key: string
  readonly seq: number
}

/**
 * Writes in order, with pauses of changing length. The third message of a new batch fails twice; nothing behind it is
 * written before it is.
 */
function orderedSink(written: Row[], clock: FakeClock): Publisher {
  const failures = new Map<string, number>()
  const thirds = new Set<string>()
  let calls = 0
  return {
    ...scriptedPublisher([], clock),
    async send(messages, signal) {
      await clock.sleep(1 + ((calls++ * 7) % 13), signal)
      if (messages.length === 10) thirds.add(messages[2]!.id)
      let stopped: MqbError | undefined
      return messages.map((message: Message): Outcome => {
        if (stopped !== undefined) return failure(notSentError(stopped))
        const failed = failures.get(message.id) ?? 0
        if (thirds.has(message.id) && failed < 2) {
          failures.set(message.id, failed + 1)
          stopped = new MqbError({ kind: 'retryable', code: 'MQB_BUSY', what: 'overloaded' })
          return failure(stopped)
        }
        written.push(message.json() as Row)
        return { kind: 'ack', as: 'delivered' }
      })
    },
  }
}

describe('a route with retry in front of an ordered output', () => {
  for (const orderedPublish of ['serial', 'pipelined'] as const) {
    it(`keeps the order of every key, without doubles (${orderedPublish}, four batches side by side)`, async () => {
      const clock = createFakeClock()
      const reference = createReferenceConnector()
      const written: Row[] = []
      const capabilities: Capabilities = { ...noCapabilities, acks: true, orderedPublish }
      const sink = defineEndpoint({
        summary: 'An ordered sink.',
        config: { type: 'object' },
        examples: [{ title: 'The sink', side: 'output', config: {} }],
        describe: () => 'sink',
        capabilities: () => capabilities,
        openPublisher: async () => orderedSink(written, clock),
      })
      const log = createRecordingLogger('warn')
      const bridge = createBridge({
        plugins: [plugin, reference.plugin, definePlugin({ name: 'sink', endpoints: { sink } })],
        clock,
        log,
        random: () => 0.5,
      })
      for (let index = 0; index < 300; index++)
        reference.channel('in').store(Message.fromJson({ key: 'abc'[index % 3], seq: Math.floor(index / 3) }))
      const route = bridge
        .route('r', {
          concurrency: 4,
          batch_size: 10,
          input: { reference: { channel: 'in', order: 'ordered' } },
          output: { sink: {}, middlewares: [{ retry: { max_attempts: 5 } }] },
        })
        .withOptions({ drain: true })
      await route.start()
      await clock.advance(60_000)
      expect(await route.join()).toMatchObject({
        outcome: 'completed',
        counts: { in: 300, delivered: 300, returned: 0, dropped: 0 },
      })
      expect(written).toHaveLength(300)
      for (const key of 'abc')
        expect(written.filter(row => row.key === key).map(row => row.seq)).toEqual(
          Array.from({ length: 100 }, (_, seq) => seq),
        )
      expect(log.find('warn', 'is dropped')).toHaveLength(1)
    })
  }
})
