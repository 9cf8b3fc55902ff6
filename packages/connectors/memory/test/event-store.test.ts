import { ALL_ACKED, ack, EndOfStream, failure, Message, MqbError } from '@mqb/core'
import { createFakeClock, numberedMessages, payloadTexts, textMessages } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { memoryConfig } from '../src/config.ts'
import { channel, eventStore } from '../src/helpers.ts'
import { prepare } from '../src/open.ts'
import { EventLog } from '../src/store/log.ts'
import { findTopic, heldTopics } from '../src/topics.ts'
import {
  codeOf,
  collect,
  freshTopic,
  never,
  openInput,
  openOutput,
  receive,
  rejection,
  send,
} from './support/ends.ts'

const retryable = failure(new MqbError({ kind: 'retryable', code: 'X_BUSY', what: 'busy' }))
const store = (topic: string, extra: Record<string, unknown> = {}) => ({
  topic,
  subscribe_mode: true,
  ...extra,
})

describe('an event store', () => {
  it('gives every subscriber every event, in order', async () => {
    const topic = freshTopic()
    const output = await openOutput(store(topic))
    const inputs = [1, 2, 3].map(n => openInput(store(topic), { path: `r${n}.input` }))
    for (let batch = 0; batch < 10; batch++) await send(output, numberedMessages(10, batch * 10))
    for (const input of await Promise.all(inputs)) {
      expect(payloadTexts(await collect(input, 100, 7))).toEqual(payloadTexts(numberedMessages(100)))
      expect(input.status()).toMatchObject({
        pending: 0,
        details: { mode: 'event_store', current_offset: 100, head_offset: 100 },
      })
    }
  })

  it('never makes a send wait', async () => {
    const topic = freshTopic()
    const output = await openOutput(store(topic, { capacity: 1 }))
    for (let batch = 0; batch < 10; batch++) expect(await send(output, textMessages('a'))).toBe(ALL_ACKED)
    eventStore(topic).drain()
  })

  it('wakes subscribers that wait', async () => {
    const topic = freshTopic()
    const input = await openInput(store(topic))
    const receiving = receive(input)
    await send(await openOutput(store(topic)), textMessages('a'))
    expect(payloadTexts((await receiving).messages)).toEqual(['a'])
  })

  it('reads again from the first message that is not done', async () => {
    const topic = freshTopic()
    const input = await openInput(store(topic))
    eventStore(topic).append(numberedMessages(6))
    const first = await receive(input, 3)
    const second = await receive(input, 3)
    await first.commit([ack(), retryable, ack()])
    // A younger batch from before the nack moves nothing.
    await second.commit(ALL_ACKED)
    const again = await receive(input)
    expect(payloadTexts(again.messages)).toEqual(payloadTexts(numberedMessages(5, 1)))
    expect(again.messages[0]).toBe(first.messages[1])
  })

  it('starts a new subscriber at the earliest event that is kept', async () => {
    const topic = freshTopic()
    const retention = { gc_interval_ms: 0 }
    const first = await openInput(store(topic, { retention }))
    const output = await openOutput(store(topic))
    await send(output, numberedMessages(10))
    await (await receive(first, 4)).commit(ALL_ACKED)
    const late = await openInput(store(topic), { path: 'late.input' })
    expect((await receive(late)).messages[0]?.text()).toBe('{"n":"4"}')
  })

  it('lets a reopened subscriber go on behind what it had acked', async () => {
    const topic = freshTopic()
    const first = await openInput(store(topic))
    eventStore(topic).append(numberedMessages(10))
    await (await receive(first, 4)).commit(ALL_ACKED)
    await receive(first, 4)
    await first.close()
    const again = await openInput(store(topic))
    expect((await receive(again)).messages[0]?.text()).toBe('{"n":"4"}')
  })

  it('keeps two consumers with one path apart', async () => {
    const topic = freshTopic()
    const inputs = [await openInput(store(topic)), await openInput(store(topic))]
    eventStore(topic).append(textMessages('a', 'b'))
    for (const input of inputs) expect(await collect(input, 2)).toHaveLength(2)
  })

  it('answers a drain with an empty batch after the silence, and ends when it is closed', async () => {
    const clock = createFakeClock()
    const topic = freshTopic()
    const input = await openInput(store(topic), { drain: true, drainIdleMs: 1000, clock })
    const receiving = receive(input)
    await clock.waitForTimers()
    await clock.advance(1000)
    expect((await receiving).messages).toEqual([])
    const ending = rejection(receive(input))
    eventStore(topic).close()
    expect(EndOfStream.is(await ending)).toBe(true)
    expect(await codeOf(send(await openOutput({ topic }), textMessages('a')))).toBe(
      'MQB_MEMORY_CHANNEL_CLOSED',
    )
  })

  it('stops at its signal and rejects after close', async () => {
    const topic = freshTopic()
    const input = await openInput(store(topic))
    const stop = new AbortController()
    const receiving = input.receive({ messages: 1, bytes: 1 }, stop.signal)
    stop.abort(new Error('stopped'))
    await expect(receiving).rejects.toThrow('stopped')
    eventStore(topic).append(textMessages('a'))
    const batch = await receive(input)
    const waiting = codeOf(receive(input))
    await input.close()
    expect(await waiting).toBe('MQB_CLOSED')
    expect(await codeOf(batch.commit(ALL_ACKED))).toBe('MQB_CLOSED')
  })

  it('stops after the message that crosses the limit of bytes', async () => {
    const topic = freshTopic()
    const input = await openInput(store(topic))
    eventStore(topic).append(textMessages('aaaa', 'bbbb', 'cccc'))
    expect(payloadTexts((await receive(input, 10, 5)).messages)).toEqual(['aaaa', 'bbbb'])
    expect(payloadTexts((await receive(input, 10, 1)).messages)).toEqual(['cccc'])
  })
})

describe('what an event store keeps', () => {
  it('drops the oldest above max_count, with one warning, and a slow subscriber meets a gap', async () => {
    const topic = freshTopic()
    const retention = { max_count: 5 }
    const input = await openInput(store(topic, { retention }))
    const output = await openOutput(store(topic, { retention }))
    for (let batch = 0; batch < 4; batch++) await send(output, numberedMessages(3, batch * 3))
    expect(eventStore(topic).length()).toBe(5)
    expect(output.opening.log.find('warn', 'keeps at most 5')).toHaveLength(1)
    expect(await rejection(receive(input))).toMatchObject({
      kind: 'permanent',
      code: 'MQB_POSITION_LOST',
      cause: { requested: '1', base: '8' },
    })
    // Also after it was opened again.
    await input.close()
    expect(await codeOf(receive(await openInput(store(topic))))).toBe('MQB_POSITION_LOST')
  })

  it.each([
    ['earliest', '{"n":"7"}'],
    ['nearest', '{"n":"7"}'],
    ['latest', '{"n":"new"}'],
  ])('goes on after a gap as position_lost: %s says', async (policy, expected) => {
    const topic = freshTopic()
    const retention = { max_count: 5 }
    const input = await openInput(store(topic, { retention, position_lost: policy }))
    const output = await openOutput(store(topic))
    await send(output, numberedMessages(12))
    const receiving = receive(input)
    await send(output, [Message.fromJson({ n: 'new' })])
    expect((await receiving).messages[0]?.text()).toBe(expected)
    expect(input.opening.log.find('warn', 'position_lost')).toHaveLength(1)
    expect(input.opening.counted.position_lost).toBe(1)
  })

  const retention = memoryConfig.parse({ topic: 'x', retention: {} }).retention!

  it('drops what all have acked, at most once per interval, and tells who listens', () => {
    const log = new EventLog('x', retention)
    const dropped: string[] = []
    log.onDrop(events => dropped.push(...payloadTexts(events)))
    const [fast, slow] = [log.subscribe('fast', 0), log.subscribe('slow', 0)]
    log.append(numberedMessages(4), 0)
    log.acknowledge(fast, 4, 2000)
    expect(log.length).toBe(4)
    log.acknowledge(slow, 2, 2500)
    expect(log.length).toBe(4)
    log.acknowledge(slow, 3, 3100)
    expect(log.length).toBe(1)
    expect(dropped).toEqual(payloadTexts(numberedMessages(3)))
  })

  it('drops what is older than max_age_ms, acked or not', () => {
    const log = new EventLog('x', retention)
    const subscriber = log.subscribe('s', 0)
    log.append(numberedMessages(2), 0)
    log.append(numberedMessages(2, 2), 10_000)
    log.touch(subscriber, retention.max_age_ms + 1)
    log.acknowledge(subscriber, 0, retention.max_age_ms + 1)
    expect(log.earliest).toBe(3)
  })

  it('no longer waits for a subscriber that was silent too long, and takes it back', () => {
    const log = new EventLog('x', retention)
    const [live, silent] = [log.subscribe('live', 0), log.subscribe('silent', 0)]
    log.append(numberedMessages(4), 0)
    log.acknowledge(live, 4, retention.subscriber_timeout_ms + 1)
    expect(log.length).toBe(0)
    expect(log.subscriberIds).toEqual(['live'])
    log.touch(silent, retention.subscriber_timeout_ms + 2)
    expect(log.subscriberIds).toEqual(['live', 'silent'])
  })

  it('keeps no entries of 1000 subscribers that came and went', async () => {
    const clock = createFakeClock()
    const topic = freshTopic()
    for (let count = 0; count < 1000; count++) {
      const input = await openInput(store(topic), { path: `r${count}.input`, clock })
      await input.close()
    }
    await clock.advance(retention.subscriber_timeout_ms + 1)
    const last = await openInput(store(topic), { path: 'last.input', clock })
    const log = findTopic(topic)
    expect(log?.mode === 'event_store' && log.subscriberIds.length).toBe(1)
    await last.close()
    expect(heldTopics()).not.toContain(topic)
  })

  it('reads across appended batches, also after a part of one was dropped', () => {
    const log = new EventLog('x', { ...retention, max_count: 4 })
    log.append(numberedMessages(3), 0)
    log.append(numberedMessages(3, 3), 0)
    const limit = { messages: 10, bytes: 1000 }
    expect(log.earliest).toBe(3)
    expect(payloadTexts(log.read(3, limit))).toEqual(payloadTexts(numberedMessages(4, 2)))
    expect(payloadTexts(log.read(5, { messages: 1, bytes: 1000 }))).toEqual(['{"n":"4"}'])
    expect(log.read(7, limit)).toEqual([])
  })
})

describe('queues and event stores of one name', () => {
  it('lets an output without subscribe_mode publish to the store that is there', async () => {
    const topic = freshTopic()
    const input = await openInput(store(topic))
    const output = await openOutput({ topic })
    await send(output, textMessages('a'))
    expect(payloadTexts((await receive(input)).messages)).toEqual(['a'])
  })

  it('refuses an input without subscribe_mode where a store is', async () => {
    const topic = freshTopic()
    await openOutput(store(topic))
    expect(await rejection(openInput({ topic }))).toMatchObject({
      kind: 'config',
      code: 'MQB_MEMORY_TOPIC_MODE',
    })
  })

  it('refuses either side with subscribe_mode where a queue is', async () => {
    const topic = freshTopic()
    await openOutput({ topic })
    const refusal = { kind: 'config', code: 'MQB_MEMORY_TOPIC_MODE' }
    expect(await rejection(openInput(store(topic)))).toMatchObject(refusal)
    expect(await rejection(openOutput(store(topic)))).toMatchObject(refusal)
    expect(() => eventStore(topic)).toThrow('MQB_MEMORY_TOPIC_MODE')
  })

  it('refuses to open a store as a channel in code', () => {
    const topic = freshTopic()
    eventStore(topic).append(textMessages('a'))
    expect(() => channel(topic).length()).toThrow('MQB_MEMORY_TOPIC_MODE')
    eventStore(topic).drain()
  })

  it('makes a store for an output that opens first, when the configuration has subscribers', async () => {
    const topic = freshTopic()
    const context = {
      route: 'r',
      path: 'r.input',
      drain: false,
      batchSize: 1,
      concurrency: 1,
      faultInjection: false,
      middlewares: [],
      enclosing: [],
      warn: () => undefined,
    }
    const { noCapabilities: capabilities } = await import('@mqb/core')
    prepare(memoryConfig.parse(store(topic)), { ...context, side: 'input', capabilities })
    prepare(memoryConfig.parse({ topic }), { ...context, side: 'output', capabilities })
    const output = await openOutput({ topic })
    await output.send(textMessages('a'), never)
    const input = await openInput(store(topic))
    expect(payloadTexts((await receive(input)).messages)).toEqual(['a'])
  })
})
