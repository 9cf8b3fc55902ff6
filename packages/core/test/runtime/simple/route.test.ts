import { EndOfStream, Message, MqbError } from '@mqb/core'
import { createBridge, type RouteResult } from '@mqb/core/runtime'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import type { SimpleEndpoint, SimpleMiddleware, SimpleOutcome } from '../../../src/runtime/simple/index.ts'
import { simpleEndpoint, simpleMiddleware } from '../../../src/runtime/simple/index.ts'
import { testLog } from '../support/log.ts'

/** A list of items, as a source that takes back what was nacked. */
function listSource(items: readonly unknown[], end: 'throw' | 'null' | 'empty' = 'throw') {
  let waiting = [...items]
  const told: SimpleOutcome[][] = []
  const endpoint: SimpleEndpoint = {
    receiveBatch(max) {
      if (waiting.length > 0) return waiting.splice(0, max)
      if (end === 'throw') throw new EndOfStream()
      return end === 'null' ? null : []
    },
    commit(outcomes, messages) {
      told.push([...outcomes])
      waiting = [...messages.filter((_, index) => outcomes[index] === 'nack'), ...waiting]
    },
  }
  return { endpoint, told }
}

function collector(
  answer: (message: Message) => ReturnType<NonNullable<SimpleEndpoint['sendBatch']>> = () => undefined,
) {
  const sent: string[] = []
  const endpoint: SimpleEndpoint = {
    async sendBatch(messages) {
      const results = await Promise.all(messages.map(message => answer(message)))
      for (const [index, message] of messages.entries()) {
        if (results[index] === undefined) sent.push(message.text())
      }
      return results.flatMap(result => (Array.isArray(result) ? result : [undefined]))
    },
  }
  return { endpoint, sent }
}

interface Parts {
  readonly source: SimpleEndpoint
  readonly sink: SimpleEndpoint
  readonly middleware?: SimpleMiddleware
  readonly input?: Record<string, unknown>
  readonly output?: Record<string, unknown>
  readonly options?: Record<string, unknown>
}

function bridgeOf({ source, sink, middleware }: Parts) {
  const log = testLog()
  const bridge = createBridge({ log, random: () => 0 })
  onTestFinished(async () => {
    await bridge.stop()
  })
  const capabilities = { acks: true }
  bridge.registry.registerEndpoint(
    'list',
    simpleEndpoint('list', () => source, { capabilities }),
  )
  bridge.registry.registerEndpoint(
    'sink',
    simpleEndpoint('sink', () => sink),
  )
  if (middleware !== undefined)
    bridge.registry.registerMiddleware(
      'mine',
      simpleMiddleware('mine', () => middleware),
    )
  return { bridge, log }
}

async function run(parts: Parts): Promise<{ result: RouteResult; log: ReturnType<typeof testLog> }> {
  const { bridge, log } = bridgeOf(parts)
  const route = bridge.route('r', {
    input: parts.input ?? { list: {} },
    output: parts.output ?? { sink: {} },
    ...parts.options,
  })
  await route.start().catch(() => undefined)
  return { result: await route.ended(), log }
}

describe('a custom endpoint as an input', () => {
  it('hands over messages, bytes, texts and JSON values until EndOfStream', async () => {
    const { endpoint, told } = listSource([new Message('m'), Buffer.from('b'), 't', { a: 1 }, [1], 7, null])
    const { endpoint: sink, sent } = collector()
    const { result } = await run({ source: endpoint, sink })
    expect(result.outcome).toBe('completed')
    expect(sent).toEqual(['m', 'b', 't', '{"a":1}', '[1]', '7', 'null'])
    expect(told.flat()).toEqual(new Array(7).fill('ack'))
  })

  it.each(['null', 'empty'] as const)('ends a drain when it returns %s', async end => {
    const { endpoint } = listSource(['a', 'b'], end)
    const { endpoint: sink, sent } = collector()
    const { result } = await run({ source: endpoint, sink, options: { exit_on_empty: true } })
    expect(result.outcome).toBe('completed')
    expect(sent).toEqual(['a', 'b'])
  })

  it('is told of each message whether to hand it over again', async () => {
    const { endpoint, told } = listSource(['a', 'b', 'c'])
    let failures = 1
    const { endpoint: sink, sent } = collector(message =>
      message.text() === 'b' && failures-- > 0 ? ['nack'] : undefined,
    )
    const { result } = await run({ source: endpoint, sink })
    expect(result.outcome).toBe('completed')
    expect(told[0]).toEqual(['ack', 'nack', 'ack'])
    expect(sent).toEqual(['a', 'c', 'b'])
  })

  it('is not told of a failure for good as a nack', async () => {
    const { endpoint, told } = listSource(['a'])
    const bad = Object.assign(new Error('bad row'), { retryable: false })
    const { endpoint: sink } = collector(() => [bad])
    const { result } = await run({ source: endpoint, sink })
    expect(told).toEqual([['ack']])
    expect(result.error?.what).toContain('bad row')
  })

  it('may attach a commit to a batch', async () => {
    const own: SimpleOutcome[][] = []
    let batches = 2
    const source: SimpleEndpoint = {
      receiveBatch() {
        if (batches-- === 0) throw new EndOfStream()
        return { messages: new Set(['a', 'b']), commit: outcomes => void own.push([...outcomes]) }
      },
      commit: () => {
        throw new Error('the commit of the endpoint was called')
      },
    }
    const { result } = await run({ source, sink: collector().endpoint })
    expect(result.outcome).toBe('completed')
    expect(own).toEqual([
      ['ack', 'ack'],
      ['ack', 'ack'],
    ])
  })

  it('may return more than was asked for', async () => {
    const { endpoint: sink, sent } = collector()
    let items: string[] | undefined = ['a', 'b', 'c', 'd', 'e']
    const told: SimpleOutcome[][] = []
    const source: SimpleEndpoint = {
      receiveBatch() {
        const all = items
        items = undefined
        if (all === undefined) throw new EndOfStream()
        return all
      },
      commit: outcomes => void told.push([...outcomes]),
    }
    await run({ source, sink, options: { batch_size: 2 } })
    expect(sent).toEqual(['a', 'b', 'c', 'd', 'e'])
    // One commit for what one call returned.
    expect(told).toEqual([new Array(5).fill('ack')])
  })

  it('is opened again after an error that says nothing, or says retryable', async () => {
    let opened = 0
    const log = testLog()
    const bridge = createBridge({ log, random: () => 0 })
    onTestFinished(async () => {
      await bridge.stop()
    })
    const { endpoint: sink, sent } = collector()
    bridge.registry.registerEndpoint(
      'sink',
      simpleEndpoint('sink', () => sink),
    )
    const factory = (): SimpleEndpoint => {
      const turn = ++opened
      let calls = 0
      return {
        receiveBatch() {
          if (calls++ === 0) return [`batch ${turn}`]
          if (turn < 3) throw new Error('connection gone')
          throw new EndOfStream()
        },
      }
    }
    bridge.registry.registerEndpoint('flaky', simpleEndpoint('flaky', factory))
    const route = bridge.route('r', { input: { flaky: null }, output: { sink: null } })
    await route.start()
    expect((await route.ended()).outcome).toBe('completed')
    expect(sent).toEqual(['batch 1', 'batch 2', 'batch 3'])
  })

  it.each([
    ['a text', 'abc'],
    ['a number', 7],
    ['an item without JSON text', [() => 1]],
  ])('ends the route when it returns %s', async (_what, value) => {
    const source = { receiveBatch: () => value } as SimpleEndpoint
    const { result } = await run({ source, sink: collector().endpoint })
    expect(result.outcome).toBe('failed')
    expect(result.error).toMatchObject({ kind: 'permanent', code: 'MQB_CUSTOM_RESULT' })
  })

  it('ends the route with its own error for good', async () => {
    const source: SimpleEndpoint = {
      receiveBatch: () => {
        throw new MqbError({ kind: 'permanent', code: 'X_FORMAT', what: 'no such format' })
      },
    }
    const { result } = await run({ source, sink: collector().endpoint })
    expect(result.error).toMatchObject({ code: 'X_FORMAT' })
  })
})

describe('a custom endpoint as an output', () => {
  it('keeps messages with their source when an error says nothing about them', async () => {
    const { endpoint, told } = listSource(['a'])
    let failures = 2
    const { endpoint: sink, sent } = collector(() => {
      if (failures-- > 0) throw new Error('busy')
    })
    const { result } = await run({ source: endpoint, sink })
    expect(result.outcome).toBe('completed')
    expect(told).toEqual([['nack'], ['nack'], ['ack']])
    expect(sent).toEqual(['a'])
  })

  it('does not see the metadata of the hop', async () => {
    const seen: unknown[] = []
    const { endpoint } = listSource([new Message('a', { 'mqb.src.x': 'y', keep: 'z' })])
    await run({ source: endpoint, sink: { sendBatch: messages => void seen.push(messages[0]?.metadata) } })
    expect(seen).toEqual([{ keep: 'z' }])
  })

  it('keeps messages when it returns results of another number', async () => {
    const { endpoint, told } = listSource(['a', 'b'])
    let calls = 0
    const sink: SimpleEndpoint = { sendBatch: () => (calls++ === 0 ? ['ack'] : undefined) }
    const { result } = await run({ source: endpoint, sink })
    expect(result.outcome).toBe('completed')
    expect(told[0]).toEqual(['nack', 'nack'])
  })
})

describe('a custom endpoint on its wrong side', () => {
  it.each([
    ['input', { source: collector().endpoint, sink: collector().endpoint }, 'receiveBatch'],
    ['output', { source: listSource(['a'], 'null').endpoint, sink: listSource([]).endpoint }, 'sendBatch'],
  ] as const)('ends the route as an %s', async (side, parts, method) => {
    const { result } = await run(parts)
    expect(result.outcome).toBe('failed')
    expect(result.error).toMatchObject({ kind: 'permanent', code: 'MQB_CUSTOM_WRONG_SIDE' })
    expect(result.error?.what).toContain(method)
    expect(result.error?.what).toContain(side)
  })
})

describe('names', () => {
  it('can be used as a key and as custom, with the configuration and the name of the route', async () => {
    const seen: unknown[] = []
    const { bridge } = bridgeOf({ source: listSource([]).endpoint, sink: collector().endpoint })
    const spy = (route: string, config: unknown): SimpleEndpoint => {
      seen.push(route, config)
      return listSource([]).endpoint
    }
    bridge.registry.registerEndpoint('spy', simpleEndpoint('spy', spy))
    for (const [name, input] of [
      ['one', { spy: { a: 1 } }],
      ['two', { custom: { name: 'spy', config: { b: 2 } } }],
    ] as const) {
      const route = bridge.route(name, { input, output: { sink: null } })
      await route.start()
      await route.ended()
    }
    expect(seen).toEqual(['one', { a: 1 }, 'two', { b: 2 }])
  })

  it('are taken once; the first stays', () => {
    const { bridge } = bridgeOf({ source: listSource([]).endpoint, sink: collector().endpoint })
    const first = bridge.registry.endpoint('list')
    expect(() =>
      bridge.registry.registerEndpoint(
        'list',
        simpleEndpoint('list', () => ({})),
      ),
    ).toThrow('MQB_NAME_TAKEN')
    expect(bridge.registry.endpoint('list')).toBe(first)
    const middleware = simpleMiddleware('m', () => ({}))
    bridge.registry.registerMiddleware('m', middleware)
    expect(() =>
      bridge.registry.registerMiddleware(
        'm',
        simpleMiddleware('m', () => ({})),
      ),
    ).toThrow('MQB_NAME_TAKEN')
  })

  it('check their configuration before anything opens when they bring a schema', () => {
    const { bridge } = bridgeOf({ source: listSource([]).endpoint, sink: collector().endpoint })
    const configSchema = z.strictObject({ size: z.int() })
    bridge.registry.registerEndpoint(
      'strict',
      simpleEndpoint('strict', () => listSource([]).endpoint, { configSchema }),
    )
    expect(() => bridge.route('r', { input: { strict: { size: 'x' } } })).toThrow('r.input.strict.size')
  })

  it('need a factory that is a function', () => {
    expect(() => simpleEndpoint('x', {} as never)).toThrow(TypeError)
    expect(() => simpleMiddleware('x', undefined as never)).toThrow(TypeError)
  })
})

describe('a custom middleware', () => {
  const upper = (messages: readonly Message[]) => messages.map(message => message.text().toUpperCase())
  const dropB = (messages: readonly Message[]) =>
    messages.map(message => (message.text() === 'b' ? null : message))
  const mine = { middlewares: [{ mine: null }] }
  const list = () => listSource([new Message('a', { k: 'v' }), 'b', 'c'])

  it('changes messages on an input and on an output', async () => {
    for (const [side, middleware] of [
      ['input', { onReceive: upper }],
      ['output', { onSend: upper }],
    ] as const) {
      const { endpoint: sink, sent } = collector()
      const ends = {
        input: { list: {} },
        output: { sink: {} },
        [side]: { [side === 'input' ? 'list' : 'sink']: {}, ...mine },
      }
      await run({ source: list().endpoint, sink, middleware, ...ends })
      expect(sent).toEqual(['A', 'B', 'C'])
    }
  })

  it('keeps id and metadata of a message that gets another payload', async () => {
    const seen: Message[] = []
    const source = listSource([new Message('a', { k: 'v' }, '01890000-0000-7000-8000-000000000001')])
    await run({
      source: source.endpoint,
      sink: { sendBatch: messages => void seen.push(...messages) },
      middleware: { onSend: () => [{ changed: true }] },
      output: { sink: null, ...mine },
    })
    expect(seen[0]?.text()).toBe('{"changed":true}')
    expect(seen[0]?.id).toBe('01890000-0000-7000-8000-000000000001')
    expect(seen[0]?.metadata).toEqual({ k: 'v' })
  })

  it.each(['input', 'output'] as const)('drops what it answers with null, acked, on an %s', async side => {
    const { endpoint: sink, sent } = collector()
    const source = list()
    const { result } = await run({
      source: source.endpoint,
      sink,
      middleware: { onReceive: dropB, onSend: dropB },
      [side]: side === 'input' ? { list: null, ...mine } : { sink: null, ...mine },
    })
    expect(sent).toEqual(['a', 'c'])
    expect(source.told).toEqual([['ack', 'ack', 'ack']])
    expect(result.counts).toMatchObject({ in: 3, delivered: 2, filtered: 1 })
  })

  it.each(['input', 'output'] as const)('may drop everything on an %s', async side => {
    const { endpoint: sink, sent } = collector()
    const none = (messages: readonly Message[]) => messages.map(() => null)
    const source = list()
    const { result } = await run({
      source: source.endpoint,
      sink,
      middleware: { onReceive: none, onSend: none },
      [side]: side === 'input' ? { list: null, ...mine } : { sink: null, ...mine },
    })
    expect(result.outcome).toBe('completed')
    expect(sent).toEqual([])
    expect(source.told).toEqual([['ack', 'ack', 'ack']])
  })

  it('passes through on the side that it leaves out', async () => {
    const { endpoint: sink, sent } = collector()
    await run({
      source: list().endpoint,
      sink,
      middleware: { onReceive: upper },
      output: { sink: null, ...mine },
    })
    expect(sent).toEqual(['a', 'b', 'c'])
  })

  it('ends the route when its slots on an input are of another number, with nothing settled', async () => {
    const source = list()
    const { result } = await run({
      source: source.endpoint,
      sink: collector().endpoint,
      middleware: { onReceive: messages => messages.slice(1) },
      input: { list: null, ...mine },
    })
    expect(result.outcome).toBe('failed')
    expect(result.error).toMatchObject({ kind: 'permanent', code: 'MQB_CUSTOM_RESULT' })
    expect(source.told).toEqual([])
  })

  it('keeps messages with their source when its slots on an output are wrong', async () => {
    const source = list()
    const { endpoint: sink, sent } = collector()
    let calls = 0
    const onSend = (messages: readonly Message[]): unknown[] => {
      calls++
      if (calls === 1) return []
      return calls === 2 ? messages.map(() => undefined) : [...messages]
    }
    const { result } = await run({
      source: source.endpoint,
      sink,
      middleware: { onSend },
      output: { sink: null, ...mine },
    })
    expect(result.outcome).toBe('completed')
    expect(source.told.slice(0, 2).flat()).toEqual(new Array(6).fill('nack'))
    expect(sent).toEqual(['a', 'b', 'c'])
  })

  it.each(['input', 'output'] as const)(
    'keeps messages with their source when it throws on an %s',
    async side => {
      const source = list()
      const { endpoint: sink, sent } = collector()
      let failures = 1
      const flaky = (messages: readonly Message[]): readonly Message[] => {
        if (failures-- > 0) throw new Error('lookup is down')
        return messages
      }
      const { result } = await run({
        source: source.endpoint,
        sink,
        middleware: { onReceive: flaky, onSend: flaky },
        [side]: side === 'input' ? { list: null, ...mine } : { sink: null, ...mine },
      })
      expect(result.outcome).toBe('completed')
      expect(source.told[0]).toEqual(['nack', 'nack', 'nack'])
      expect(sent).toEqual(['a', 'b', 'c'])
    },
  )

  it('is closed with the route, once per side', async () => {
    let closed = 0
    const middleware: SimpleMiddleware = { close: () => void closed++ }
    await run({
      source: list().endpoint,
      sink: collector().endpoint,
      middleware,
      input: { list: null, ...mine },
      output: { sink: null, ...mine },
    })
    expect(closed).toBe(2)
  })
})
