import { ALL_ACKED, ack, Message, MqbError, outcomeList, reply } from '@mqb/core'
import { payloadTexts, textMessages } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { live, openSwitch, sink } from './world.ts'

const kind = (value: string): Message => new Message(value, { kind: value })

describe('switch by a metadata value', () => {
  it('splits a batch by destination and keeps the order within each', async () => {
    const [a, b, other] = [sink(), sink(), sink()]
    const { output } = await openSwitch({
      metadata_key: 'kind',
      cases: { a: a.plan, b: b.plan },
      default: other.plan,
    })
    const messages = [kind('a'), kind('b'), kind('c'), kind('a'), new Message('none'), kind('b')]
    expect(outcomeList(await output.send(messages, live), 6)).toEqual(messages.map(() => ack()))
    expect(a.publisher.calls.map(payloadTexts)).toEqual([['a', 'a']])
    expect(b.publisher.calls.map(payloadTexts)).toEqual([['b', 'b']])
    expect(other.publisher.calls.map(payloadTexts)).toEqual([['c', 'none']])
  })

  it('compares exactly, and names of objects are values like all others', async () => {
    const [order, proto, other] = [sink(), sink(), sink()]
    const { output } = await openSwitch({
      metadata_key: 'kind',
      cases: { order: order.plan, constructor: proto.plan },
      default: other.plan,
    })
    await output.send(['order', 'Order', 'constructor', '__proto__', 'toString', ''].map(kind), live)
    expect(payloadTexts(order.publisher.delivered)).toEqual(['order'])
    expect(payloadTexts(proto.publisher.delivered)).toEqual(['constructor'])
    expect(payloadTexts(other.publisher.delivered)).toEqual(['Order', '__proto__', 'toString', ''])
  })

  it('never looks at payloads', async () => {
    const a = sink()
    const { output } = await openSwitch({ metadata_key: 'kind', cases: { a: a.plan } })
    const messages = ['', 'no JSON', '[1]'].map(text => new Message(text, { kind: 'a' }))
    await output.send([...messages, new Message(null, { kind: 'a' })], live)
    expect(a.publisher.delivered).toHaveLength(4)
  })

  it('hands a batch of one destination on as it is', async () => {
    const a = sink()
    const { output } = await openSwitch({ metadata_key: 'kind', cases: { a: a.plan } })
    const messages = [kind('a'), kind('a')]
    await output.send(messages, live)
    expect(a.publisher.calls[0]).toEqual(messages)
  })

  it('answers ALL_ACKED where every destination does', async () => {
    const [a, b] = [sink(), sink()]
    for (const { publisher } of [a, b]) publisher.send = async () => ALL_ACKED
    const { output } = await openSwitch({ metadata_key: 'kind', cases: { a: a.plan, b: b.plan } })
    expect(await output.send([kind('a'), kind('b')], live)).toBe(ALL_ACKED)
  })
})

describe('switch by expressions', () => {
  it('takes the first case that is true', async () => {
    const [large, medium, other] = [sink(), sink(), sink()]
    const { output } = await openSwitch({
      when: [
        { if: 'amount > 100', to: large.plan },
        { if: 'amount > 10 || meta.vip == "yes"', to: medium.plan },
      ],
      default: other.plan,
    })
    await output.send(
      [
        ...textMessages('{"amount":500}', '{"amount":"50"}', '{"amount":5}', '{}'),
        new Message('{"amount":1}', { vip: 'yes' }),
      ],
      live,
    )
    expect(payloadTexts(large.publisher.delivered)).toEqual(['{"amount":500}'])
    expect(payloadTexts(medium.publisher.delivered)).toEqual(['{"amount":"50"}', '{"amount":1}'])
    expect(payloadTexts(other.publisher.delivered)).toEqual(['{"amount":5}', '{}'])
  })

  it('fails the whole call for good where a payload cannot be read, and sends none of it', async () => {
    const [large, other] = [sink(), sink()]
    const { output } = await openSwitch({
      when: [{ if: 'amount > 100', to: large.plan }],
      default: other.plan,
    })
    for (const bad of ['', 'no JSON', '[1]', 'null', '7', '"text"', '{"amount":1']) {
      const outcomes = await output.send(textMessages('{"amount":500}', bad), live)
      expect(outcomes).toEqual([
        expect.objectContaining({ kind: 'failure' }),
        expect.objectContaining({ kind: 'failure' }),
      ])
      const [first] = outcomes as readonly { error: MqbError }[]
      expect(first?.error).toMatchObject({
        kind: 'permanent',
        code: 'MQB_EXPRESSION_PAYLOAD',
        where: 'orders.output.switch.when[0].if',
      })
    }
    expect(large.publisher.calls).toEqual([])
    expect(other.publisher.calls).toEqual([])
  })

  it('fails the whole call for good where a result is neither true nor false', async () => {
    const { output } = await openSwitch({ when: [{ if: 'amount + 1', to: sink().plan }] })
    const outcomes = await output.send(textMessages('{"amount":1}'), live)
    expect(outcomes).toMatchObject([
      { kind: 'failure', error: { kind: 'permanent', code: 'MQB_EXPRESSION_VALUE' } },
    ])
  })

  it('reads no payload where the expressions name no field', async () => {
    const orders = sink()
    const { output } = await openSwitch({ when: [{ if: 'meta.kind == "order"', to: orders.plan }] })
    await output.send([new Message('no JSON', { kind: 'order' })], live)
    expect(orders.publisher.delivered).toHaveLength(1)
  })

  it('has one target for each of absent, null, empty and wrong values, and none is lost', async () => {
    const [none, big, rest] = [sink(), sink(), sink()]
    const { output, opening } = await openSwitch({
      when: [
        { if: 'e == null', to: none.plan },
        { if: 'e > 4', to: big.plan },
      ],
      default: rest.plan,
    })
    const texts = [
      '{}',
      '{"e":null}',
      '{"e":""}',
      '{"e":"x"}',
      '{"e":5}',
      '{"e":"5"}',
      '{"e":[5]}',
      '{"e":true}',
    ]
    expect(outcomeList(await output.send(textMessages(...texts), live), 8)).toEqual(texts.map(() => ack()))
    expect(payloadTexts(none.publisher.delivered)).toEqual(['{}', '{"e":null}'])
    expect(payloadTexts(big.publisher.delivered)).toEqual(['{"e":5}', '{"e":"5"}'])
    expect(payloadTexts(rest.publisher.delivered)).toEqual([
      '{"e":""}',
      '{"e":"x"}',
      '{"e":[5]}',
      '{"e":true}',
    ])
    expect(opening.log.find('warn')).toHaveLength(1)
  })
})

describe('outcomes of a switch', () => {
  it('come back by position, also replies and failures', async () => {
    const a = sink(['ack', 'retryable', { reply: 'yes' }])
    const b = sink(['permanent', 'ack'])
    const { output } = await openSwitch({ metadata_key: 'kind', cases: { a: a.plan, b: b.plan } })
    const messages = [kind('b'), kind('a'), kind('x'), kind('a'), kind('b'), kind('a')]
    const outcomes = await output.send(messages, live)
    expect(outcomes).toMatchObject([
      { kind: 'failure', error: { kind: 'permanent' } },
      ack(),
      ack('filtered'),
      { kind: 'failure', error: { kind: 'retryable' } },
      ack(),
      reply(expect.anything()),
    ])
  })

  it('fail only for the messages of a destination that throws', async () => {
    const gone = new MqbError({ kind: 'connection', code: 'MQB_GONE', what: 'reset' })
    const [a, b, c] = [sink([{ throws: gone }]), sink(), sink([{ throws: new Error('odd') }])]
    const { output } = await openSwitch({
      metadata_key: 'kind',
      cases: { a: a.plan, b: b.plan, c: c.plan },
    })
    const outcomes = await output.send([kind('a'), kind('b'), kind('c'), kind('a')], live)
    expect(outcomes).toMatchObject([
      { kind: 'failure', error: { kind: 'connection' } },
      ack(),
      { kind: 'failure', error: { kind: 'retryable' } },
      { kind: 'failure', error: { kind: 'connection' } },
    ])
  })

  it('fail for the destination alone that answers for another number of messages', async () => {
    const [a, b] = [sink(), sink()]
    a.publisher.send = async () => []
    const { output } = await openSwitch({ metadata_key: 'kind', cases: { a: a.plan, b: b.plan } })
    expect(await output.send([kind('a'), kind('b')], live)).toMatchObject([{ kind: 'failure' }, ack()])
  })

  it('wait for all destinations, which are sent to side by side', async () => {
    const [a, b] = [sink(['never']), sink()]
    const { output } = await openSwitch({ metadata_key: 'kind', cases: { a: a.plan, b: b.plan } })
    void output.send([kind('a'), kind('b')], live)
    expect(a.publisher.calls).toHaveLength(1)
    expect(b.publisher.calls).toHaveLength(1)
  })
})

describe('messages that no case takes', () => {
  it('are acked as filtered, counted, and told at most once a second', async () => {
    const a = sink()
    const { output, opening, clock } = await openSwitch({ metadata_key: 'kind', cases: { a: a.plan } })
    expect(await output.send([kind('x'), kind('a'), kind('y')], live)).toEqual([
      ack('filtered'),
      ack(),
      ack('filtered'),
    ])
    expect(await output.send([kind('z')], live)).toEqual([ack('filtered')])
    expect(output.status()).toMatchObject({ healthy: true, details: { unmatched: 3 } })
    expect(opening.counted).toEqual({ unmatched: 3 })
    expect(opening.log.find('warn').map(line => line.text)).toEqual([
      '2 messages match no case and there is no default: dropped',
    ])
    await clock.advance(1000)
    expect(opening.log.find('warn')[1]).toMatchObject({
      text: '1 message matches no case and there is no default: dropped',
      fields: { code: 'MQB_SWITCH_UNMATCHED', count: 1 },
    })
    await output.close()
    expect(clock.pending).toBe(0)
  })

  it('are told at the close, when they were not yet', async () => {
    const { output, opening } = await openSwitch({ metadata_key: 'kind', cases: { a: sink().plan } })
    await output.send([kind('x')], live)
    await output.send([kind('x')], live)
    await output.close()
    expect(opening.log.find('warn')).toHaveLength(2)
  })
})

describe('the life of a switch', () => {
  it('flushes and closes every destination', async () => {
    const [a, b, other] = [sink(), sink(), sink()]
    const { output } = await openSwitch({
      when: [
        { if: 'true', to: a.plan },
        { if: 'false', to: b.plan },
      ],
      default: other.plan,
    })
    await output.flush()
    await output.close()
    await output.close()
    for (const { publisher } of [a, b, other]) {
      expect(publisher.flushes).toBe(1)
      expect(publisher.closes).toBeGreaterThan(0)
    }
    await expect(output.send([kind('a')], live)).rejects.toMatchObject({ code: 'MQB_CLOSED' })
  })

  it('is healthy when every destination is, and names the one that is not', async () => {
    const [a, b] = [sink(), sink()]
    const { output } = await openSwitch({ metadata_key: 'kind', cases: { a: a.plan, b: b.plan } })
    expect(output.status()).toMatchObject({ healthy: true, target: 'switch' })
    b.publisher.status = () => ({ healthy: false, target: 'b', error: 'refused' })
    expect(output.status()).toMatchObject({
      healthy: false,
      error: 'cases.b: refused',
      details: { destinations: { 'cases.a': { healthy: true }, 'cases.b': { healthy: false } } },
    })
  })

  it('closes what is open when a later destination cannot be opened', async () => {
    const a = sink()
    const broken = { ...sink().plan, open: () => Promise.reject(new Error('no')) }
    await expect(
      openSwitch({ metadata_key: 'kind', cases: { a: a.plan, b: broken as never } }),
    ).rejects.toThrow('no')
    expect(a.publisher.closes).toBe(1)
  })
})
