import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ALL_ACKED, type Message, type Publisher } from '@mqb/core'
import { createTestOpening, type ProvisionedEnds, testConnector } from '@mqb/testkit'
import { describe, it } from 'vitest'
import { memoryConfig } from '../src/config.ts'
import plugin from '../src/index.ts'
import { openConsumer, openPublisher } from '../src/open.ts'

// A queue of this process answers at once, so that silence is believed early.
const limits = { quietMs: 15, drainIdleMs: 15 }
const socketLimits = { quietMs: 40, drainIdleMs: 40 }

function suite(title: string, input: object, output: object) {
  const ends = (topic: string) => ({ input: { topic, ...input }, output: { topic, ...output } })
  testConnector(
    { describe, it },
    {
      plugin,
      endpoint: 'memory',
      title: `memory, ${title}`,
      sample: ends('sample'),
      provision: () => ends(randomUUID()),
      limits,
    },
  )
}

suite('queue that redelivers', { enable_nack: true }, {})
suite('queue', {}, {})
suite('event store', { subscribe_mode: true }, { subscribe_mode: true })
suite('request and reply', { enable_nack: true }, { request_reply: true })

testConnector(
  { describe, it },
  {
    plugin,
    endpoint: 'memory',
    title: 'memory, socket, output',
    oneSided: 'output',
    sample: { output: { topic: 'ipc://sample' } },
    hooks: ['readBack'],
    provision: provisionOutput,
    limits: socketLimits,
  },
)

testConnector(
  { describe, it },
  {
    plugin,
    endpoint: 'memory',
    title: 'memory, socket, input',
    oneSided: 'input',
    sample: { input: { topic: 'ipc://sample' } },
    hooks: ['feed'],
    provision: provisionInput,
    limits: socketLimits,
  },
)

/** An output needs somebody who listens: an input that keeps what comes. */
async function provisionOutput(): Promise<ProvisionedEnds> {
  const output = { topic: `ipc://${freshPath()}` }
  const consumer = await openConsumer(memoryConfig.parse(output), createTestOpening({ side: 'input' }))
  const received: Message[] = []
  const stop = new AbortController()
  const reading = (async () => {
    for (;;) {
      const batch = await consumer.receive({ messages: 1000, bytes: 1 << 30 }, stop.signal)
      received.push(...batch.messages)
      await batch.commit(ALL_ACKED)
    }
  })().catch(() => undefined)
  return {
    output,
    readBack: async () => received,
    async dispose() {
      stop.abort()
      await reading
      await consumer.close()
    },
  }
}

/** Messages wait until the input listens, as in a publishing process that reconnects. */
function provisionInput(): ProvisionedEnds {
  const input = { topic: `ipc://${freshPath()}` }
  const publishers: Publisher[] = []
  return {
    input,
    async feed(messages) {
      const publisher = await openPublisher(memoryConfig.parse(input), createTestOpening())
      publishers.push(publisher)
      await publisher.send(messages, new AbortController().signal)
    },
    async dispose() {
      for (const publisher of publishers) await publisher.close()
    },
  }
}

function freshPath(): string {
  return join(tmpdir(), `mqb-${randomUUID().slice(0, 8)}.sock`)
}
