import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ALL_ACKED, type Message, type Publisher } from '@mqb/core'
import { createTestOpening, type ProvisionedEnds, testConnector } from '@mqb/testkit'
import { describe, it } from 'vitest'
import { memoryConfig } from '../src/config.ts'
import plugin from '../src/index.ts'
import { openConsumer, openPublisher } from '../src/open.ts'

function suite(
  title: string,
  provision: () => { input: object; output: object; dispose?: () => Promise<void> },
) {
  testConnector({ describe, it }, { plugin, endpoint: 'memory', title: `memory, ${title}`, provision })
}

suite('queue that redelivers', () => {
  const topic = randomUUID()
  return { input: { topic, enable_nack: true }, output: { topic } }
})

suite('queue', () => {
  const topic = randomUUID()
  return { input: { topic }, output: { topic } }
})

suite('event store', () => {
  const topic = randomUUID()
  return { input: { topic, subscribe_mode: true }, output: { topic, subscribe_mode: true } }
})

suite('request and reply', () => {
  const topic = randomUUID()
  return { input: { topic, enable_nack: true }, output: { topic, request_reply: true } }
})

testConnector(
  { describe, it },
  {
    plugin,
    endpoint: 'memory',
    title: 'memory, socket, output',
    oneSided: 'output',
    provision: provisionOutput,
  },
)

testConnector(
  { describe, it },
  {
    plugin,
    endpoint: 'memory',
    title: 'memory, socket, input',
    oneSided: 'input',
    provision: provisionInput,
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
