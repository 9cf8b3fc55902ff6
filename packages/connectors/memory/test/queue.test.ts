import { ALL_ACKED, ack, EndOfStream, failure, Message, MqbError } from '@mqb/core'
import { createFakeClock, numberedMessages, payloadTexts, slabMessages, textMessages } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { channel } from '../src/helpers.ts'
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
  settle,
} from './support/ends.ts'

const retryable = failure(new MqbError({ kind: 'retryable', code: 'X_BUSY', what: 'busy' }))
const permanent = failure(new MqbError({ kind: 'permanent', code: 'X_BAD', what: 'bad' }))

describe('a queue', () => {
  it('keeps the order for one consumer', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic })
    const input = await openInput({ topic })
    for (let batch = 0; batch < 20; batch++) await send(output, numberedMessages(50, batch * 50))
    expect(payloadTexts(await collect(input, 1000, 64))).toEqual(payloadTexts(numberedMessages(1000)))
  })

  it('shares messages between consumers, each once', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic })
    const inputs = [await openInput({ topic }), await openInput({ topic })]
    const seen: string[] = []
    const readers = inputs.map(async input => {
      for (;;) {
        const batch = await receive(input, 10)
        seen.push(...payloadTexts(batch.messages))
        await batch.commit(ALL_ACKED)
      }
    })
    for (const reader of readers) reader.catch(() => undefined)
    for (let batch = 0; batch < 100; batch++) await send(output, numberedMessages(10, batch * 10))
    await settle()
    expect(seen).toHaveLength(1000)
    expect(new Set(seen).size).toBe(1000)
  })

  it('makes the next send wait while it is full, and counts its bound in batches', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic, capacity: 1 })
    const input = await openInput({ topic })
    await send(output, numberedMessages(3))
    let sent = false
    const second = send(output, numberedMessages(3, 3)).then(() => {
      sent = true
    })
    await settle()
    expect(sent).toBe(false)
    expect(output.status()).toMatchObject({ pending: 1, capacity: 1 })
    await receive(input, 3)
    await second
    expect(payloadTexts((await receive(input, 3)).messages)).toEqual(payloadTexts(numberedMessages(3, 3)))
  })

  it('lets sends that wait in, in the order in which they came', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic, capacity: 1 })
    const input = await openInput({ topic })
    const sends = ['a', 'b', 'c', 'd'].map(text => send(output, textMessages(text)))
    expect(payloadTexts(await collect(input, 4, 1))).toEqual(['a', 'b', 'c', 'd'])
    await Promise.all(sends)
  })

  it('fixes the bound by whoever makes the topic', async () => {
    const topic = freshTopic()
    await openInput({ topic, capacity: 7 })
    const output = await openOutput({ topic, capacity: 99 })
    expect(output.status().capacity).toBe(7)
  })

  it('gives a send up at its signal, with nothing put in', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic, capacity: 1 })
    await send(output, textMessages('a'))
    const deadline = new AbortController()
    const sending = output.send(textMessages('b'), deadline.signal)
    deadline.abort(new Error('too late'))
    await expect(sending).rejects.toThrow('too late')
    expect(payloadTexts(channel(topic).drain())).toEqual(['a'])
  })

  it('hands a batch over by reference', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic })
    const input = await openInput({ topic })
    const messages = numberedMessages(100)
    await send(output, messages)
    expect((await receive(input, 100)).messages).toBe(messages)
  })

  it('leaves the metadata of the hop behind', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic })
    const input = await openInput({ topic })
    await send(output, [new Message('a', { 'mqb.src.file': 'x', keep: 'y' })])
    expect((await receive(input)).messages[0]?.metadata).toEqual({ keep: 'y' })
  })

  it('does not hold a large slab for a small message', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic })
    const input = await openInput({ topic })
    const [first] = slabMessages('small', 'x'.repeat(200_000))
    await send(output, [first!])
    const [kept] = (await receive(input)).messages
    expect(kept?.text()).toBe('small')
    expect(kept?.id).toBe(first!.id)
    expect(kept?.bytes.buffer.byteLength).toBe(5)
  })
})

describe('receiving from a queue', () => {
  it('joins queued batches until half of what is wanted is there', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic })
    const input = await openInput({ topic })
    for (let batch = 0; batch < 5; batch++) await send(output, numberedMessages(2, batch * 2))
    expect((await receive(input, 10)).messages).toHaveLength(6)
    expect((await receive(input, 10)).messages).toHaveLength(4)
  })

  it('keeps what a batch has more than is wanted for the next call', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic })
    const input = await openInput({ topic })
    await send(output, numberedMessages(10))
    expect((await receive(input, 4)).messages).toHaveLength(4)
    expect(input.status().pending).toBe(1)
    expect((await receive(input, 4)).messages).toHaveLength(4)
    expect(payloadTexts((await receive(input, 4)).messages)).toEqual(payloadTexts(numberedMessages(2, 8)))
  })

  it('stops after the message that crosses the limit of bytes', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic })
    const input = await openInput({ topic })
    await send(output, textMessages('aaaa', 'bbbb', 'cccc'))
    expect(payloadTexts((await receive(input, 10, 5)).messages)).toEqual(['aaaa', 'bbbb'])
    expect(payloadTexts((await receive(input, 10, 1)).messages)).toEqual(['cccc'])
  })

  it('gives a surplus and uncommitted messages back at close, in their order', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic, capacity: 1 })
    const input = await openInput({ topic })
    await send(output, numberedMessages(10))
    await receive(input, 3)
    const open = await receive(input, 3)
    await send(output, numberedMessages(5, 10))
    await input.close()
    expect(await codeOf(open.commit(ALL_ACKED))).toBe('MQB_CLOSED')
    const next = await openInput({ topic })
    expect(payloadTexts(await collect(next, 15, 4))).toEqual(payloadTexts(numberedMessages(15)))
  })

  it('stops waiting at its signal and takes nothing with it', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic })
    const input = await openInput({ topic })
    const stop = new AbortController()
    const receiving = input.receive({ messages: 1, bytes: 1 }, stop.signal)
    stop.abort(new Error('stopped'))
    await expect(receiving).rejects.toThrow('stopped')
    await send(output, textMessages('a'))
    expect(payloadTexts((await receive(input)).messages)).toEqual(['a'])
  })

  it('answers a drain with an empty batch after the silence', async () => {
    const clock = createFakeClock()
    const topic = freshTopic()
    const input = await openInput({ topic }, { drain: true, drainIdleMs: 1000, clock })
    const receiving = receive(input)
    await clock.waitForTimers()
    await clock.advance(1000)
    expect((await receiving).messages).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it('ends when the topic is closed and empty', async () => {
    const topic = freshTopic()
    const input = await openInput({ topic })
    await channel(topic).fill(['a', 'b'])
    channel(topic).close()
    expect((await receive(input)).messages).toHaveLength(2)
    expect(EndOfStream.is(await rejection(receive(input)))).toBe(true)
    expect(EndOfStream.is(await rejection(receive(input)))).toBe(true)
  })

  it('ends a receive that waits when the topic is closed', async () => {
    const topic = freshTopic()
    const input = await openInput({ topic })
    const receiving = rejection(receive(input))
    channel(topic).close()
    expect(EndOfStream.is(await receiving)).toBe(true)
  })

  it('rejects after close, and a receive that waits too', async () => {
    const input = await openInput({ topic: freshTopic() })
    const receiving = codeOf(receive(input))
    await input.close()
    await input.close()
    expect(await receiving).toBe('MQB_CLOSED')
    expect(await codeOf(receive(input))).toBe('MQB_CLOSED')
    expect(input.status().healthy).toBe(false)
  })
})

describe('a nack in a queue', () => {
  it('appends the message again with enable_nack, at the end and without waiting for room', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic, capacity: 1 })
    const input = await openInput({ topic, enable_nack: true })
    await send(output, textMessages('a', 'b'))
    const batch = await receive(input)
    await send(output, textMessages('c'))
    await batch.commit([ack(), retryable])
    const rest = await collect(input, 2)
    expect(payloadTexts(rest)).toEqual(['c', 'b'])
    expect(rest[1]?.id).toBe(batch.messages[1]?.id)
  })

  it('drops the message without enable_nack, counts it and warns once', async () => {
    const clock = createFakeClock()
    const topic = freshTopic()
    const input = await openInput({ topic }, { clock })
    for (let turn = 0; turn < 3; turn++) {
      await channel(topic).fill(['a', 'b'])
      await (await receive(input)).commit([retryable, ack()])
    }
    expect(channel(topic).length()).toBe(0)
    expect(input.opening.counted.nacked_dropped).toBe(3)
    expect(input.status().details).toEqual({ nacked_dropped: 3 })
    expect(input.opening.log.find('warn', 'enable_nack')).toHaveLength(1)
  })

  it('does not hand a message over again that failed for good', async () => {
    const topic = freshTopic()
    const input = await openInput({ topic, enable_nack: true })
    await channel(topic).send('a')
    await (await receive(input)).commit([permanent])
    expect(channel(topic).length()).toBe(0)
    expect(input.opening.log.find('warn')).toHaveLength(0)
  })

  it('refuses outcomes of another number, and a second commit', async () => {
    const topic = freshTopic()
    const input = await openInput({ topic })
    await channel(topic).send('a')
    const batch = await receive(input)
    await expect(batch.commit([])).rejects.toThrow(TypeError)
    await batch.commit([ack()])
    await expect(batch.commit([ack()])).rejects.toThrow(TypeError)
  })
})

describe('the name space', () => {
  it('knows memory:// and the bare name as one topic', async () => {
    const topic = freshTopic()
    const output = await openOutput({ url: `memory://${topic}` })
    await send(output, textMessages('a'))
    expect(payloadTexts(channel(topic).drain())).toEqual(['a'])
  })

  it('keeps messages when nobody has the topic open, and forgets empty topics', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic })
    await send(output, textMessages('a'))
    await output.close()
    expect(heldTopics()).toContain(topic)
    const input = await openInput({ topic })
    await (await receive(input)).commit(ALL_ACKED)
    await input.close()
    expect(findTopic(topic)).toBeUndefined()
  })

  it('opens a closed topic again once all have left', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic })
    channel(topic).close()
    expect(await codeOf(send(output, textMessages('a')))).toBe('MQB_MEMORY_CHANNEL_CLOSED')
    expect(output.status().healthy).toBe(false)
    await output.close()
    const again = await openOutput({ topic })
    expect(await again.send(textMessages('b'), never)).toBe(ALL_ACKED)
    channel(topic).drain()
  })

  it('sends to the topic that each message names', async () => {
    const prefix = freshTopic()
    const output = await openOutput({ topic: `memory://${prefix}-\${metadata:to}` })
    const outcomes = await send(output, [
      new Message('1', { to: 'a' }),
      new Message('2', { to: 'b' }),
      new Message('3'),
      new Message('4', { to: 'a' }),
    ])
    expect(outcomes).toMatchObject([
      { kind: 'ack' },
      { kind: 'ack' },
      { kind: 'failure', error: { kind: 'permanent', code: 'MQB_MEMORY_TOPIC_UNRESOLVED' } },
      { kind: 'ack' },
    ])
    expect(payloadTexts(channel(`${prefix}-a`).drain())).toEqual(['1', '4'])
    expect(payloadTexts(channel(`${prefix}-b`).drain())).toEqual(['2'])
  })

  it('keeps a bounded number of topics open for an output with tokens', async () => {
    const prefix = freshTopic()
    const output = await openOutput({ topic: `${prefix}-\${payload:n}` })
    await send(output, numberedMessages(200))
    expect(output.status().details?.open_topics).toBe(64)
    const input = await openInput({ topic: `${prefix}-0` })
    expect((await receive(input)).messages).toHaveLength(1)
    for (let n = 1; n < 200; n++) channel(`${prefix}-${n}`).drain()
  })

  it('closes no topic of these into which a send is waiting', async () => {
    const prefix = freshTopic()
    const output = await openOutput({ topic: `${prefix}-\${payload:n}`, capacity: 1 })
    await send(output, numberedMessages(1))
    const waiting = send(output, numberedMessages(1))
    await send(output, numberedMessages(100, 1))
    expect(channel(`${prefix}-0`).drain()).toHaveLength(2)
    expect(await waiting).toEqual([ack()])
    for (let n = 1; n <= 100; n++) channel(`${prefix}-${n}`).drain()
  })
})
