import { Message } from '@mqb/core'
import { createBridge } from '@mqb/core/runtime'
import dlq from '@mqb/dlq'
import { createRecordingLogger, createReferenceConnector } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import transform from '../src/index.ts'

const schema = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }

type Middlewares = readonly Readonly<Record<string, unknown>>[]

function world(sides: { input?: Middlewares; output?: Middlewares }) {
  const { plugin, channel } = createReferenceConnector()
  const log = createRecordingLogger('info')
  const bridge = createBridge({ plugins: [transform, dlq, plugin], log })
  const route = bridge
    .route('orders', {
      batch_size: 16,
      input: { reference: { channel: 'in', order: 'ordered' }, middlewares: sides.input ?? [] },
      output: { reference: { channel: 'out' }, middlewares: sides.output ?? [] },
    })
    .withOptions({ drain: true })
  return {
    log,
    async run(messages: readonly (Message | string | Uint8Array | null)[]) {
      for (const message of messages)
        channel('in').store(Message.is(message) ? message : new Message(message))
      await route.start()
      const result = await route.join()
      return { ...result, counters: route.status().counters }
    },
    out: () => channel('out').stored.map(({ message }) => message),
    letters: () => channel('letters').stored.map(({ message }) => message),
  }
}

const texts = (messages: readonly Message[]): string[] => messages.map(message => message.text())
const deadLetters = { dlq: { endpoint: { reference: { channel: 'letters' } } } }

describe('on an output', () => {
  it('a message that does not fit becomes a dead letter as it was, and its neighbours go on', async () => {
    const { run, out, letters } = world({ output: [{ transform: { schema } }, deadLetters] })
    const { counts, counters } = await run(['{"id":"1"}', '{"id":"oops"}', '{"id":"3"}'])
    expect(counts).toMatchObject({ in: 3, delivered: 2, deadLettered: 1, dropped: 0, inFlight: 0 })
    expect(texts(out())).toEqual(['{"id":1}', '{"id":3}'])
    expect(texts(letters())).toEqual(['{"id":"oops"}'])
    expect(letters()[0]!.metadata).toMatchObject({
      'mqb.dlq.code': 'MQB_TRANSFORM_FAILED',
      'mqb.dlq.kind': 'permanent',
    })
    expect(letters()[0]!.getMetadata('mqb.dlq.reason')).toContain(
      'transform failed at $.id [coercion]: cannot coerce string "oops" to integer',
    )
    expect(letters()[0]!.getMetadata('mqb.dlq.payload_at_failure')).toBeUndefined()
    expect(counters['orders.output.middlewares[0].transform']).toEqual({ rejected: 1 })
  })

  it('without dead letters the route logs it and drops it', async () => {
    const { run, out, log } = world({ output: [{ transform: { schema } }] })
    expect((await run(['[]', '{"id":2}'])).counts).toMatchObject({ delivered: 1, dropped: 1 })
    expect(texts(out())).toEqual(['{"id":2}'])
    expect(log.find('error', 'transform failed at $ [type]')).toHaveLength(1)
  })

  it('bytes that are not UTF-8 reach the dead letters byte for byte (A27)', async () => {
    const { run, out, letters } = world({ output: [{ transform: { schema: {} } }, deadLetters] })
    const bad = [
      Buffer.from([0xff, 0xfe, 0x00]),
      Buffer.from('{"name":"caf\xe9"}', 'latin1'),
      Buffer.from([0x1f, 0x8b, 0x08, 0x00]),
      Buffer.from('"\u{1F600}"').subarray(0, 3),
    ]
    const good = ['{"name":"café"}', '{"lone":"\\ud800"}']
    expect((await run([...bad, ...good])).counts).toMatchObject({ delivered: 2, deadLettered: 4 })
    expect(texts(out())).toEqual(good)
    expect(letters().map(({ payload }) => payload.toString('hex'))).toEqual(
      bad.map(bytes => bytes.toString('hex')),
    )
  })

  it('integers of any length go through every stage digit for digit (A28)', async () => {
    const row = '{"id":9007199254740993,"n":-9223372036854775808,"u":18446744073709551615,"x":1.0,"y":1e2}'
    const { run, out } = world({
      output: [
        {
          transform: {
            schema: {
              properties: { id: { type: 'integer' }, n: { type: 'number' }, x: { type: 'integer' } },
            },
          },
        },
        { transform: { mapping: { id: 'id', n: 'n', u: 'u', x: 'x', y: 'y' } } },
        { transform: { expression: '{ id: id, n: n, u: u, x: x, y: y }' } },
      ],
    })
    await run([row])
    expect(texts(out())).toEqual([row])
  })
})

describe('on an input', () => {
  it('a message that does not fit is acknowledged as dropped and logged, also when nothing of a batch is left', async () => {
    const { run, out, log } = world({ input: [{ transform: { schema } }] })
    const bad = Array.from({ length: 40 }, (_, index) => `{"id":"bad ${index}"}`)
    const { counts, outcome, counters } = await run([...bad, '{"id":"7"}', 'no JSON', '{"id":"8"}'])
    expect(outcome).toBe('completed')
    expect(counts).toMatchObject({ in: 43, delivered: 2, dropped: 41, returned: 0, inFlight: 0 })
    expect(texts(out())).toEqual(['{"id":7}', '{"id":8}'])
    expect(counters['orders.input.middlewares[0].transform']).toEqual({ rejected: 41 })
    const lines = log.lines.filter(({ fields }) => fields.code === 'MQB_MESSAGE_DROPPED')
    expect(lines).toHaveLength(11)
    expect(lines[0]!.text).toContain(
      'transform failed at $.id [coercion]: cannot coerce string "bad 0" to integer',
    )
    expect(lines[0]!.fields).toMatchObject({ route: 'orders', reason: 'MQB_TRANSFORM_FAILED' })
    expect(lines[10]!.text).toContain('31 more messages were dropped')
  })

  it('pass_through hands it on as it was, with the reason', async () => {
    const { run, out } = world({ input: [{ transform: { schema, on_error: 'pass_through' } }] })
    const { counts, counters } = await run(['{"id":"1"}', '{"id":"x"}', '', null])
    expect(counts).toMatchObject({ in: 4, delivered: 4 })
    expect(texts(out())).toEqual(['{"id":1}', '{"id":"x"}', '', ''])
    expect(out().map(message => message.getMetadata('mqb.transform_error'))).toEqual([
      undefined,
      'transform failed at $.id [coercion]: cannot coerce string "x" to integer',
      'transform failed at $ [json]: the payload is not JSON: the document ends where a value is expected, at byte 0',
      undefined,
    ])
    expect(counters['orders.input.middlewares[0].transform']).toEqual({ passed_through: 2 })
  })
})

describe('what it must withstand', () => {
  const deep = `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)},"id":"1"}`
  const payloads = ['', 'null', '[]', '7', '"x"', '{', '{"id":"1"} x', `${'['.repeat(30_000)}`, deep]

  it('payloads of every kind, on both sides', async () => {
    for (const side of ['input', 'output'] as const) {
      const { run, out } = world({ [side]: [{ transform: { schema } }] })
      const { counts } = await run([...payloads, null])
      expect(counts).toMatchObject({ in: 10, delivered: 2, dropped: 8 })
      expect(texts(out())).toEqual([deep.replace('"id":"1"', '"id":1'), ''])
      expect(out()[1]!.isNull).toBe(true)
    }
  })

  it('a payload of 50 MB', async () => {
    const filler = 'x'.repeat(50 * 1024 * 1024)
    const { run, out } = world({
      output: [{ transform: { schema, mapping: { id: 'id', filler: 'filler' } } }],
    })
    await run([`{"filler":"${filler}","id":"1"}`])
    expect(out()[0]!.byteLength).toBe(filler.length + 20)
    expect(out()[0]!.payload.subarray(0, 20).toString()).toBe('{"id":1,"filler":"xx')
  })
})

describe('messages that nothing changes', () => {
  it('go on as the same objects, so that no byte is copied', async () => {
    const message = new Message('{"id":1}')
    const { messages } = (await import('./support/transform.ts')).transformerOf({ schema }).run([message])
    expect(messages[0]).toBe(message)
  })
})
