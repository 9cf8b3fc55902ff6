import { readFileSync, writeFileSync } from 'node:fs'
import { ALL_ACKED, Message } from '@mqb/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { messagesOf, never, openInput, openOutput, readAll, scratch, texts } from './support/harness.ts'

let folder: ReturnType<typeof scratch>
beforeEach(() => {
  folder = scratch()
})
afterEach(() => folder.remove())

async function roundTrip(config: Record<string, unknown>, messages: readonly Message[]): Promise<Message[]> {
  const path = folder.path('data')
  const output = await openOutput({ path, ...config })
  expect(await output.end.send(messages, never)).toBe(ALL_ACKED)
  await output.end.close()
  const input = await openInput({ path, ...config })
  const read = await readAll(input.end)
  await input.end.close()
  return read
}

const payloads: readonly (string | Buffer | null)[] = [
  'plain text',
  '',
  '{"a":1,"n":12345678901234567890.10}',
  '"a JSON string"',
  'null',
  null,
  'true',
  '[1,2,3]',
  '  {"spaced": [1, 2]}',
  'two\nlines\r\n',
  'grüße 🎈 \u2028',
  '\ufeffwith a mark',
  Buffer.from([0xff, 0xfe, 0x00]),
  Buffer.from('caf\xe9', 'latin1'),
]

describe('the formats that carry whole messages', () => {
  for (const format of ['normal', 'json', 'text', 'envelope', 'envelope_json', 'envelope_text'])
    for (const delimiter of ['\n', '0x1e', ';;', '→'])
      it(`${format} with delimiter ${JSON.stringify(delimiter)} gives back payload, metadata and id`, async () => {
        const messages = payloads.map(
          (payload, index) =>
            new Message(payload, { index: String(index), text: 'a;;b→c\n', 'mqb.src.x': 'stays behind' }),
        )
        const read = await roundTrip({ format, delimiter }, messages)
        expect(read.map(message => message.id)).toEqual(messages.map(message => message.id))
        for (const [index, message] of read.entries()) {
          const sent = messages[index] as Message
          expect(message.isNull).toBe(sent.isNull)
          expect(message.payload.toString('latin1')).toBe(sent.payload.toString('latin1'))
          expect(message.metadata).toEqual({ index: String(index), text: 'a;;b→c\n' })
        }
      })

  it('json compacts a pretty-printed payload to one line and keeps its values as written', async () => {
    const read = await roundTrip({ format: 'json' }, messagesOf(['{\n  "a": 1.0,\n  "b": "x  y"\n}']))
    expect(texts(read)).toEqual(['{"a":1.0,"b":"x  y"}'])
  })

  it('reads the old form with the payload as a list of bytes', async () => {
    const path = folder.path('old')
    writeFileSync(
      path,
      '{"message_id":"00000000-0000-0000-0000-000000000001","metadata":{"k":"v"},"payload":[104,105]}\n',
    )
    const { end } = await openInput({ path })
    const [message] = await readAll(end)
    await end.close()
    expect(message?.text()).toBe('hi')
    expect(message?.id).toBe('00000000-0000-0000-0000-000000000001')
  })

  it('takes a record that is no message as the payload, with one warning', async () => {
    const path = folder.path('other')
    writeFileSync(path, '{"order":1,"metadata":{"k":"v"}}\nnot json\n')
    const { end, opening } = await openInput({ path })
    const read = await readAll(end)
    await end.close()
    expect(texts(read)).toEqual(['{"order":1,"metadata":{"k":"v"}}', 'not json'])
    expect(read[0]?.metadata).toEqual({})
    expect(opening.log.lines.filter(line => line.level === 'warn')).toHaveLength(1)
  })

  it('fails a message whose JSON syntax holds the delimiter, and writes the others', async () => {
    const { end } = await openOutput({ path: folder.path('x'), delimiter: ':' })
    const outcomes = await end.send(messagesOf(['a']), never)
    await end.close()
    expect(outcomes).toMatchObject([
      { kind: 'failure', error: { kind: 'permanent', code: 'MQB_FILE_DELIMITER' } },
    ])
    expect(readFileSync(folder.path('x'), 'utf8')).toBe('')
  })
})

describe('raw', () => {
  for (const delimiter of ['\n', '0x1e', '::'])
    it(`gives back every payload without the delimiter ${JSON.stringify(delimiter)}`, async () => {
      const sent = payloads.filter(payload => payload !== null && !payload.toString('latin1').includes('\n'))
      const read = await roundTrip({ format: 'raw', delimiter }, messagesOf(sent))
      expect(read.map(message => message.payload.toString('hex'))).toEqual(
        sent.map(payload => Buffer.from(payload as string).toString('hex')),
      )
    })

  it('gives back a first payload that begins with a byte-order mark', async () => {
    expect(texts(await roundTrip({ format: 'raw' }, messagesOf(['\ufeffa', '\ufeffb'])))).toEqual([
      '\ufeffa',
      '\ufeffb',
    ])
  })

  it('fails a payload with the delimiter in it and writes its neighbours', async () => {
    const path = folder.path('raw')
    const { end } = await openOutput({ path, format: 'raw' })
    const outcomes = await end.send(messagesOf(['a', 'b\nc', 'd']), never)
    await end.close()
    expect(outcomes).toMatchObject([
      { kind: 'ack' },
      { kind: 'failure', error: { code: 'MQB_FILE_DELIMITER' } },
      { kind: 'ack' },
    ])
    expect(readFileSync(path, 'utf8')).toBe('a\nd\n')
  })

  it('fails a payload whose end would complete the delimiter too early', async () => {
    const { end } = await openOutput({ path: folder.path('raw'), format: 'raw', delimiter: '::' })
    expect(await end.send(messagesOf(['a:', 'b']), never)).toMatchObject([
      { kind: 'failure' },
      { kind: 'ack' },
    ])
    await end.close()
  })

  it('writes a null payload as an empty record', async () => {
    expect(texts(await roundTrip({ format: 'raw' }, messagesOf(['a', null, 'b'])))).toEqual(['a', '', 'b'])
  })

  it('strips a byte-order mark, carriage returns and nothing else; blank lines are empty messages', async () => {
    const path = folder.path('crlf')
    writeFileSync(path, '\ufeffa\r\n\r\nb\rc\r\nlast')
    const { end } = await openInput({ path, format: 'raw' })
    expect(texts(await readAll(end))).toEqual(['a', '', 'b\rc', 'last'])
    await end.close()
  })

  it('writes messages that lie side by side in a slab, and messages that do not, in order', async () => {
    const path = folder.path('runs')
    const slab = Buffer.from('one\ntwo\nthree\nfour\n')
    const other = Buffer.from('xx')
    const { end } = await openOutput({ path, format: 'raw' })
    await end.send(
      [
        Message.view(slab, 0, 3),
        Message.view(slab, 4, 7),
        new Message(other),
        Message.view(slab, 14, 18),
        Message.view(slab, 8, 13),
      ],
      never,
    )
    await end.close()
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nxx\nfour\nthree\n')
  })
})
