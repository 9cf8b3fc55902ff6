import { type Consumer, compileTemplate, type Message, Message as MqbMessage } from '@mqb/core'
import { createRecordingLogger, createTestOpening, scriptedConsumer } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { idConsumer } from '../src/id.ts'

const log = createRecordingLogger('debug')
const opening = createTestOpening({ log, path: 'orders.input.middlewares[0].id' })

async function identified(template: string, messages: readonly Message[]): Promise<readonly Message[]> {
  const consumer: Consumer = idConsumer(
    scriptedConsumer([messages], { afterwards: 'wait' }),
    compileTemplate(template),
    opening,
  )
  const limit = { messages: 100, bytes: 1e6 }
  return (await consumer.receive(limit, new AbortController().signal)).messages
}

const idOf = async (template: string, payload: string | null, metadata = {}): Promise<string | undefined> =>
  (await identified(template, [new MqbMessage(payload, metadata)]))[0]!.getMetadata('mqb.id')

describe('id', () => {
  it('sets what the template says, every digit and character of it', async () => {
    expect(await idOf('${payload:order_id}', '{"order_id":9007199254740993}')).toBe('9007199254740993')
    expect(
      await idOf('${metadata:tenant}-${payload:o.items[0].sku}', '{"o":{"items":[{"sku":"Ä\\"1"}]}}', {
        tenant: 'acme',
      }),
    ).toBe('acme-Ä"1')
    expect(await idOf('${payload:a}', '{"a":{"b":[1.0]}}')).toBe('{"b":[1.0]}')
    expect(await idOf('${payload:a}', '{"a":""}')).toBe('')
  })

  it('is the same at every read, whatever the message id is', async () => {
    const messages = [new MqbMessage('{"order_id":7}'), new MqbMessage('{"order_id":7}')]
    const [one, two] = await identified('${payload:order_id}', messages)
    expect(one!.id).not.toBe(two!.id)
    expect([one!.id, two!.id]).toEqual(messages.map(message => message.id))
    expect(one!.getMetadata('mqb.id')).toBe(two!.getMetadata('mqb.id'))
  })

  it('keeps payload, id and other metadata, and replaces an identity that was there', async () => {
    const message = new MqbMessage('{"a":"x"}', { 'mqb.id': 'old', kept: 'yes' })
    const [result] = await identified('${payload:a}', [message])
    expect(result!.metadata).toEqual({ 'mqb.id': 'x', kept: 'yes' })
    expect(result!.payload).toBe(message.payload)
    expect(message.getMetadata('mqb.id')).toBe('old')
  })

  it('sets nothing unless every token resolves', async () => {
    const template = '${payload:tenant}-${payload:order_id}'
    for (const payload of [
      '{"tenant":"acme"}',
      '{"tenant":"acme","order_id":null}',
      'no JSON',
      '',
      '[1]',
      null,
    ])
      expect(await idOf(template, payload), String(payload)).toBeUndefined()
    expect(await idOf('${metadata:absent}', '{}')).toBeUndefined()
  })

  it('takes away an identity that it can not give', async () => {
    expect(await idOf('${payload:order_id}', '{}', { 'mqb.id': 'of somebody else' })).toBeUndefined()
  })

  it('warns once for a route, then tells at level debug, and counts', async () => {
    log.clear()
    const before = opening.counted.without_id ?? 0
    await identified('${payload:a}-${payload:b}', [
      new MqbMessage('{"a":1}'),
      new MqbMessage('{"a":1,"b":2}'),
      new MqbMessage('{"b":2}'),
    ])
    expect(log.lines.map(({ level, fields }) => [level, fields.code])).toEqual([
      ['warn', 'MQB_ID_UNRESOLVED'],
      ['debug', 'MQB_ID_UNRESOLVED'],
    ])
    expect(log.lines[0]!.text).toContain('${payload:b} of "${payload:a}-${payload:b}"')
    expect(opening.counted.without_id).toBe(before + 2)
  })
})
