import { failure, Message, MqbError, publishableMetadata, wrapPublisher } from '@mqb/core'
import {
  createFakeClock,
  createTestOpening,
  createTestSecrets,
  numberedMessages,
  publisherPlan,
  scriptedPublisher,
} from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { dlqPublisher } from '../src/dlq.ts'
import { type DeadLetterFacts, deadLetter } from '../src/record.ts'

const facts: DeadLetterFacts = {
  route: 'orders',
  endpoint: 'orders.output',
  firstMs: Date.UTC(2024, 0, 1),
  failedMs: Date.UTC(2024, 0, 1, 0, 0, 2, 500),
  scrub: text => text,
}
const bad = new MqbError({ kind: 'permanent', code: 'MQB_BAD', what: 'field x must be int' })

describe('a dead letter', () => {
  it('is the message as it came, with the reason in its metadata', () => {
    const message = new Message(Buffer.from([0xff, 0x00, 0x0a]), { 'x-tenant': '7' })
    const letter = deadLetter(message, bad, undefined, facts)
    expect(letter.payload.equals(message.payload)).toBe(true)
    expect(letter.id).toBe(message.id)
    expect(letter.metadata).toEqual({
      'x-tenant': '7',
      'mqb.dlq.route': 'orders',
      'mqb.dlq.endpoint': 'orders.output',
      'mqb.dlq.kind': 'permanent',
      'mqb.dlq.code': 'MQB_BAD',
      'mqb.dlq.reason': 'field x must be int',
      'mqb.dlq.attempts': '1',
      'mqb.dlq.first_at': '2024-01-01T00:00:00.000Z',
      'mqb.dlq.failed_at': '2024-01-01T00:00:02.500Z',
    })
  })

  it('names the part that failed, the tries and every cause', () => {
    const cause = new MqbError({ kind: 'retryable', code: 'MQB_BUSY', what: 'busy', cause: new Error('429') })
    const error = new MqbError({
      kind: 'permanent',
      code: 'MQB_RETRY_EXHAUSTED',
      where: 'orders.output.http',
      what: 'gave up after 3 tries: busy',
      cause,
      details: { attempts: 3 },
    })
    const { metadata } = deadLetter(new Message('a'), error, undefined, facts)
    expect(metadata['mqb.dlq.endpoint']).toBe('orders.output.http')
    expect(metadata['mqb.dlq.attempts']).toBe('3')
    expect(metadata['mqb.dlq.reason']).toBe('gave up after 3 tries: busy: MQB_BUSY: busy: 429')
  })

  it('shows the payload at the place of failure when that is another', () => {
    const message = new Message('{"x":"1"}')
    const changed = message.derive('{"x":"1","y":1}')
    const shown = (failed: Message) =>
      deadLetter(message, bad, failed, facts).getMetadata('mqb.dlq.payload_at_failure')
    expect(Buffer.from(shown(changed)!, 'base64').toString()).toBe('{"x":"1","y":1}')
    expect(shown(message)).toBeUndefined()
    expect(shown(message.withMetadata({ a: 'b' }))).toBeUndefined()
    expect(shown(message.derive(null))).toBe('')
  })

  it('keeps a null payload', () => {
    expect(deadLetter(new Message(null), bad, undefined, facts).isNull).toBe(true)
  })

  it('says where the message came from under keys that are published', () => {
    const message = new Message('a', { 'mqb.src.topic': 'orders', 'mqb.src.offset': '42', k: 'v' })
    const published = publishableMetadata(deadLetter(message, bad, undefined, facts).metadataPairs)
    expect(new Message('', published).metadata).toMatchObject({
      k: 'v',
      'mqb.dlq.src.topic': 'orders',
      'mqb.dlq.src.offset': '42',
    })
  })

  it('gets a new reason when it fails again after a replay, and keeps the place it came from first', () => {
    const first = deadLetter(
      new Message('a', { 'mqb.src.offset': '42' }),
      bad,
      new Message('b'),
      facts,
    ).withoutMetadata(key => key.startsWith('mqb.src.'))
    const replayed = first.withMetadata({ 'mqb.src.offset': '1' })
    const again = deadLetter(
      replayed,
      new MqbError({ kind: 'permanent', code: 'MQB_OTHER', what: 'other' }),
      undefined,
      facts,
    )
    expect(again.metadata).toMatchObject({ 'mqb.dlq.code': 'MQB_OTHER', 'mqb.dlq.src.offset': '42' })
    expect(again.getMetadata('mqb.dlq.payload_at_failure')).toBeUndefined()
    expect(again.metadataPairs.filter(text => text === 'mqb.dlq.code')).toHaveLength(1)
  })

  it('cuts an endless reason', () => {
    const error = new MqbError({ kind: 'permanent', code: 'MQB_BAD', what: 'x'.repeat(100_000) })
    expect(deadLetter(new Message('a'), error, undefined, facts).getMetadata('mqb.dlq.reason')).toHaveLength(
      2000,
    )
  })

  it('carries no secret, also where a cause shows it in another encoding', () => {
    const secrets = createTestSecrets()
    secrets.add('p@ssw0rd!')
    const cause = new Error('https://user:p@ssw0rd!@host refused; p%40ssw0rd!')
    const error = new MqbError({
      kind: 'permanent',
      code: 'MQB_BAD',
      where: 'orders.output http://user:p@ssw0rd!@host',
      what: `refused (basic ${Buffer.from('p@ssw0rd!').toString('base64')})`,
      cause,
    })
    const letter = deadLetter(new Message('a'), error, undefined, {
      ...facts,
      scrub: text => secrets.scrub(text),
    })
    const text = JSON.stringify(letter.metadata)
    for (const form of ['p@ssw0rd!', 'p%40ssw0rd!', Buffer.from('p@ssw0rd!').toString('base64')])
      expect(text).not.toContain(form)
  })

  it('is written once for the one of ten messages that the output refused, before and after a change of it', async () => {
    const clock = createFakeClock()
    const letters = scriptedPublisher()
    const sink = scriptedPublisher()
    // A middleware that adds y, in front of an output that refuses number 4.
    const changing = wrapPublisher(sink, {
      async send(messages, signal) {
        const changed = messages.map(message => message.derive(`${message.text().slice(0, -1)},"y":1}`))
        await sink.send(
          changed.filter((_, index) => index !== 4),
          signal,
        )
        return changed.map((message, index) =>
          index === 4 ? failure(bad, message) : { kind: 'ack', as: 'delivered' },
        )
      },
    })
    const dlq = await dlqPublisher(
      changing,
      { endpoint: publisherPlan(letters) },
      createTestOpening({ clock, route: 'orders' }),
    )
    const messages = numberedMessages(10, 0, { 'mqb.src.offset': '4' })
    await dlq.send(messages, new AbortController().signal)
    const records = letters.calls.flat()
    expect(records).toHaveLength(1)
    expect(records[0]!.text()).toBe('{"n":"4"}')
    expect(records[0]!.metadata).toMatchObject({
      'mqb.dlq.payload_at_failure': Buffer.from('{"n":"4","y":1}').toString('base64'),
      'mqb.dlq.reason': 'field x must be int',
      'mqb.dlq.attempts': '1',
      'mqb.dlq.src.offset': '4',
    })
  })
})
