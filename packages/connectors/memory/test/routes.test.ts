import { join } from 'node:path'
import { ALL_ACKED, Message, MqbError } from '@mqb/core'
import { createRegistry } from '@mqb/core/config'
import { type Bridge, createBridge } from '@mqb/core/runtime'
import structural from '@mqb/structural'
import { createRecordingLogger, numberedMessages, payloadTexts } from '@mqb/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { channel } from '../src/helpers.ts'
import memory from '../src/index.ts'
import { collect, freshTopic, openInput, openOutput, receive, send, settle, until } from './support/ends.ts'
import { scratchFolder } from './support/process.ts'

function newBridge(): Bridge & { lines: ReturnType<typeof createRecordingLogger> } {
  const lines = createRecordingLogger()
  const registry = createRegistry({ plugins: [memory, structural] })
  const bridge = createBridge({ registry, log: lines, random: () => 0, env: {} })
  onTestFinished(async () => {
    await bridge.stop()
  })
  return Object.assign(bridge, { lines })
}

describe('routes over a topic', () => {
  it('give a handler a message again that it failed once', async () => {
    const topic = freshTopic()
    const seen: string[] = []
    let failures = 1
    const bridge = newBridge()
    const route = bridge.route('r', { input: { memory: { topic, enable_nack: true } } })
    route.withHandler(message => {
      seen.push(message.text())
      if (message.text() === 'b' && failures-- > 0) throw new Error('not now')
      return null
    })
    await route.start()
    await channel(topic).fill(['a', 'b', 'c'])
    await until(() => route.status().messages === 3, 'all are done with')
    expect(seen.filter(text => text === 'b')).toHaveLength(2)
    expect(new Set(seen)).toEqual(new Set(['a', 'b', 'c']))
  })

  it('say at start that messages which fail for now are gone without enable_nack', async () => {
    const topic = freshTopic()
    const bridge = newBridge()
    const route = bridge.route('r', { input: { memory: { topic } }, output: null })
    expect(route.status().guarantee.level).toBe('at-most-once')
    const safe = bridge.route('s', { input: { memory: { topic, enable_nack: true } }, output: null })
    expect(safe.status().guarantee.level).toBe('at-least-once')
  })

  it('answer a request with what the other route replies', async () => {
    const topic = freshTopic()
    const bridge = newBridge()
    bridge
      .route('answer', { input: { memory: { topic } }, output: { response: {} } })
      .withHandler(message => message.derive(message.text().toUpperCase()))
    await bridge.start()
    const output = await openOutput({ topic, request_reply: true })
    const request = new Message('hello')
    const outcomes = await send(output, [request])
    expect(outcomes).toMatchObject([{ kind: 'reply', message: { id: request.id } }])
    expect(outcomes !== ALL_ACKED && outcomes[0]?.kind === 'reply' && outcomes[0].message.text()).toBe(
      'HELLO',
    )
  })

  it('tell a caller what the other route failed for good', async () => {
    const topic = freshTopic()
    const bridge = newBridge()
    bridge.route('answer', { input: { memory: { topic } }, output: { response: {} } }).withHandler(() => {
      throw new MqbError({ kind: 'permanent', code: 'X_NO_PRICE', what: 'no such price' })
    })
    await bridge.start()
    const output = await openOutput({ topic, request_reply: true })
    expect(await send(output, [new Message('hello')])).toMatchObject([
      { error: { kind: 'permanent', code: 'MQB_MEMORY_REQUEST_FAILED', cause: { code: 'X_NO_PRICE' } } },
    ])
  })

  it('lose nothing when the reading route is stopped and started again and again', async () => {
    const topic = freshTopic()
    const seen = new Set<string>()
    const total = 3000
    const output = await openOutput({ topic, capacity: 4 })
    const sending = (async () => {
      for (let from = 0; from < total; from += 10) await send(output, numberedMessages(10, from))
    })()
    for (let turn = 0; seen.size < total; turn++) {
      const bridge = newBridge()
      const route = bridge.route('r', { batch_size: 7, input: { memory: { topic } } })
      route.withHandler(async message => {
        if (Number(message.text().match(/\d+/)?.[0]) % 5 === 0) await settle()
        seen.add(message.text())
        return null
      })
      await route.start()
      const goal = Math.min(total, (turn + 1) * 300)
      await until(() => seen.size >= goal, 'some messages')
      await route.stop()
    }
    await sending
    expect(seen.size).toBe(total)
    expect(channel(topic).length()).toBe(0)
  })

  it('give every subscribing route every message, whichever route starts first', async () => {
    const topic = freshTopic()
    const bridge = newBridge()
    const seen: Record<string, string[]> = { a: [], b: [] }
    bridge.route('feed', {
      exit_on_empty: true,
      batch_size: 5,
      input: { static: { body: '${gen:counter}', raw: true } },
      output: { memory: { topic, subscribe_mode: true } },
    })
    for (const name of ['a', 'b']) {
      bridge.route(name, { input: { memory: { topic, subscribe_mode: true } } }).withHandler(message => {
        seen[name]?.push(message.text())
        return null
      })
    }
    await bridge.start()
    await until(() => seen.a?.length === 5 && seen.b?.length === 5, 'both have all')
    expect(seen).toEqual({ a: ['0', '1', '2', '3', '4'], b: ['0', '1', '2', '3', '4'] })
  })
})

describe('routes over a socket', () => {
  it('connect when the consumer comes, and again when it comes back', async () => {
    const topic = `unix://${join(scratchFolder(), 'x.sock')}`
    const source = freshTopic()
    const bridge = newBridge()
    const route = bridge.route('send', {
      reconnect_interval_ms: 20,
      startup_timeout_ms: 50,
      input: { memory: { topic: source, enable_nack: true } },
      output: { memory: { topic } },
    })
    await route.start().catch(() => undefined)
    expect(route.status().healthy).toBe(false)
    await channel(source).fill(numberedMessages(3))

    const first = await openInput({ topic })
    expect(payloadTexts(await collect(first, 3)).sort()).toEqual(payloadTexts(numberedMessages(3)))
    await until(() => route.status().state === 'running', 'the route runs')
    await first.close()
    await until(() => !route.status().output.healthy, 'the output sees it')

    await channel(source).fill(numberedMessages(3, 3))
    const second = await openInput({ topic })
    const batch = await receive(second)
    expect(payloadTexts(batch.messages).sort()).toEqual(payloadTexts(numberedMessages(3, 3)))
    await batch.commit(ALL_ACKED)
  })
})
