import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { defineEndpoint, definePlugin, Message, noCapabilities } from '@mqb/core'
import { createBridge } from '@mqb/core/runtime'
import file from '@mqb/file'
import { createRecordingLogger, createReferenceConnector, scriptedPublisher } from '@mqb/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import dlq from '../src/index.ts'

function world() {
  const folder = mkdtempSync(join(tmpdir(), 'mqb-dlq-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  let repaired = false
  const sink = scriptedPublisher(() => (repaired ? 'ack' : 'permanent'))
  const plugin = definePlugin({
    name: 'sink',
    endpoints: {
      sink: defineEndpoint({
        summary: 'Refuses everything until it is repaired.',
        config: { type: 'object' },
        examples: [{ title: 'The sink', side: 'output', config: {} }],
        describe: () => 'sink',
        capabilities: () => ({ ...noCapabilities, acks: true }),
        openPublisher: async () => ({ ...sink, close: async () => {} }),
      }),
    },
  })
  const reference = createReferenceConnector()
  const log = createRecordingLogger('warn')
  const bridge = createBridge({ plugins: [dlq, file, plugin, reference.plugin], log })
  const repair = (): void => {
    repaired = true
  }
  return { path: join(folder, 'dead-letters.jsonl'), bridge, reference, log, sink, repair }
}

const originals = (): Message[] => [
  new Message('{"order": 1, "amount": 0.10}', { trace_id: 'abc', 'content-type': 'application/json' }),
  new Message(Buffer.from([0x00, 0xff, 0x0a, 0x0d, 0xc3, 0x28]), { 'k\n"': 'välue\t' }),
  new Message(''),
  new Message(null, { tombstone: 'yes' }),
]

describe('a file of dead letters', () => {
  for (const format of ['normal', 'json'] as const) {
    it(`gives the repaired route the original bytes, ids and metadata (format ${format})`, async () => {
      const { path, bridge, reference, log, sink, repair } = world()
      const messages = originals()
      for (const message of messages) reference.channel('in').store(message)
      const broken = bridge
        .route('orders', {
          input: { reference: { channel: 'in' } },
          output: { sink: {}, middlewares: [{ dlq: { endpoint: { file: { path, format } } } }] },
        })
        .withOptions({ drain: true })
      await broken.start()
      expect(await broken.join()).toMatchObject({ counts: { deadLettered: messages.length, dropped: 0 } })
      expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(messages.length)
      expect(log.find('warn', 'payloads only')).toEqual([])

      repair()
      const replay = bridge
        .route('replay', { input: { file: { path, format } }, output: { sink: {} } })
        .withOptions({ drain: true })
      await replay.start()
      expect(await replay.join()).toMatchObject({ counts: { delivered: messages.length } })
      expect(sink.delivered).toHaveLength(messages.length)
      for (const [index, original] of messages.entries()) {
        const again = sink.delivered[index]!
        expect(again.isNull).toBe(original.isNull)
        expect(again.payload.equals(original.payload)).toBe(true)
        expect(again.id).toBe(original.id)
        expect(again.metadata).toMatchObject(original.metadata)
        expect(again.getMetadata('mqb.dlq.reason')).toBe('a permanent failure was scripted')
        expect(again.getMetadata('mqb.dlq.route')).toBe('orders')
      }
    })
  }

  it('says which record of which file a dead letter was, without a word about it in the configuration', async () => {
    const { path, bridge } = world()
    const source = join(dirname(path), 'orders.jsonl')
    writeFileSync(source, '{"n":0}\n{"n":1}\n')
    const route = bridge
      .route('orders', {
        input: { file: { path: source, format: 'raw' } },
        output: { sink: {}, middlewares: [{ dlq: { endpoint: { file: { path, format: 'json' } } } }] },
      })
      .withOptions({ drain: true })
    await route.start()
    await route.join()
    const letters = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => (JSON.parse(line) as { metadata: Record<string, string> }).metadata)
    expect(letters.map(metadata => metadata['mqb.dlq.src.file_path'])).toEqual([source, source])
    expect(new Set(letters.map(metadata => metadata['mqb.dlq.src.file_record'])).size).toBe(2)
    expect(letters.flatMap(Object.keys).filter(key => key.startsWith('mqb.src.'))).toEqual([])
  })

  it('is warned about when its format keeps payloads only', async () => {
    const { path, bridge, reference, log } = world()
    reference.channel('in').store(new Message('{"order":1}'))
    const route = bridge
      .route('orders', {
        input: { reference: { channel: 'in' } },
        output: { sink: {}, middlewares: [{ dlq: { endpoint: { file: { path, format: 'raw' } } } }] },
      })
      .withOptions({ drain: true })
    await route.start()
    await route.join()
    expect(log.find('warn', 'payloads only')).toHaveLength(1)
    expect(readFileSync(path, 'utf8')).toBe('{"order":1}\n')
  })
})
