import { createRegistry, parseUri, planEndpoint } from '@mqb/core/config'
import { describe, expect, it } from 'vitest'
import { defaultRetention, memoryConfig, redelivers, transportOf } from '../src/config.ts'
import plugin from '../src/index.ts'
import { parseTransport } from '../src/transport.ts'

const parse = (config: Record<string, unknown>) => memoryConfig.safeParse(config)
const problems = (config: Record<string, unknown>): string[] => {
  const result = parse(config)
  if (result.success) throw new Error('it was accepted')
  return result.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`)
}

describe('the address of a topic', () => {
  it.each([
    ['orders', { kind: 'process', name: 'orders' }],
    ['memory://orders', { kind: 'process', name: 'orders' }],
    ['memory://orders/eu', { kind: 'process', name: 'orders/eu' }],
    ['MEMORY://orders', { kind: 'process', name: 'orders' }],
    ['memory:orders', { kind: 'process', name: 'orders' }],
    ['ipc://orders', { kind: 'named-socket', name: 'orders' }],
    ['ipc:///run/app/x.sock', { kind: 'socket-path', path: '/run/app/x.sock' }],
    ['unix:///run/app/x.sock', { kind: 'socket-path', path: '/run/app/x.sock' }],
    ['pipe://orders', { kind: 'pipe', name: 'orders' }],
  ])('%s', (topic, transport) => {
    expect(parseTransport(topic)).toEqual(transport)
    expect(transportOf(memoryConfig.parse({ topic }))).toEqual(transport)
  })

  it.each([
    ['', 'expected the name of a topic'],
    ['memory://', 'expected a name after memory://'],
    ['unix:/run/x.sock', 'expected unix:// with two slashes'],
    ['memory://orders?capcity=3', 'unknown parameter capcity'],
    ['unix://x.sock', 'absolute path'],
    ['ipc://a/b', 'the name of a socket takes letters'],
    ['ipc:///run/app/', 'expected the path of a socket'],
    ['kafka://orders', 'no transport kafka://'],
  ])('%s is refused when the configuration is read', (topic, reason) => {
    expect(problems({ topic }).join()).toContain(`topic: `)
    expect(problems({ topic }).join()).toContain(reason)
    expect(problems({ url: topic }).join()).toContain('url: ')
  })
})

describe('a URI', () => {
  const registry = createRegistry({ plugins: [plugin] })
  const plan = (uri: string) =>
    planEndpoint(parseUri(uri, { registry, side: 'input', env: {} }), 'input', registry, { env: {} })

  it.each([
    [
      'memory://orders/eu?capacity=5&subscribe_mode=true',
      'memory orders/eu',
      { capacity: 5, subscribe_mode: true },
    ],
    ['memory:orders', 'memory orders', { capacity: 100 }],
    ['ipc://orders?capacity=3', 'memory ipc://orders', { capacity: 3 }],
    ['unix:///run/app/x.sock', 'memory unix:///run/app/x.sock', {}],
  ])('%s', (uri, target, config) => {
    expect(plan(uri).target).toBe(target)
    expect(plan(uri).config).toMatchObject(config)
  })

  it('with an unknown parameter is refused', () => {
    expect(() => plan('memory://orders?capcity=1')).toThrow('there is no parameter "capcity"')
  })
})

describe('the configuration', () => {
  it('has the defaults of the reference', () => {
    const config = memoryConfig.parse({ topic: 'orders' })
    expect(config).toMatchObject({
      capacity: 100,
      subscribe_mode: false,
      request_reply: false,
      request_timeout_ms: 30_000,
      position_lost: 'fail',
    })
    expect(defaultRetention).toEqual({
      max_count: 100_000,
      max_age_ms: 86_400_000,
      subscriber_timeout_ms: 300_000,
      gc_interval_ms: 1000,
    })
  })

  it('redelivers with a socket and not in the process, unless it says otherwise', () => {
    const given = (config: Record<string, unknown>) => redelivers(memoryConfig.parse(config))
    expect(given({ topic: 'x' })).toBe(false)
    expect(given({ topic: 'x', enable_nack: true })).toBe(true)
    expect(given({ topic: 'ipc://x' })).toBe(true)
    expect(given({ topic: 'ipc://x', enable_nack: false })).toBe(false)
  })

  it.each([
    [{}, 'expected a topic'],
    [{ topic: 'a', url: 'b' }, 'got both'],
    [{ topic: 'ipc://x', subscribe_mode: true }, 'subscribe_mode: a socket has no event store'],
    [{ topic: 'ipc://x', request_reply: true }, 'request_reply: a socket goes one way'],
    [{ topic: 'ipc://${metadata:x}' }, 'topic: '],
    [{ topic: 'a-${payload:' }, 'topic: '],
    [{ topic: 'a', capacity: 0 }, 'capacity: '],
    [{ topic: 'a', capcity: 1 }, 'capcity'],
    [{ topic: 'a', retention: { max_cnt: 1 } }, 'retention'],
  ])('refuses %j', (config, reason) => {
    expect(problems(config).join()).toContain(reason)
  })

  it('promises what its mode can keep', () => {
    const { capabilities } = plugin.endpoints!.memory!
    const of = (config: Record<string, unknown>, side: 'input' | 'output') =>
      capabilities(memoryConfig.parse(config), side)
    expect(of({ topic: 'x' }, 'input')).toMatchObject({ acks: false, replies: 'depends', commitOrder: 'any' })
    expect(of({ topic: 'x', enable_nack: true }, 'input')).toMatchObject({ acks: true, replies: 'depends' })
    expect(of({ topic: 'x', subscribe_mode: true }, 'input')).toMatchObject({
      acks: true,
      commitOrder: 'ordered',
    })
    expect(of({ topic: 'ipc://x' }, 'input')).toMatchObject({ acks: false, replies: 'no' })
    expect(of({ topic: 'x' }, 'output')).toMatchObject({ acks: true, replies: 'no' })
    expect(of({ topic: 'x', request_reply: true }, 'output')).toMatchObject({ replies: 'yes' })
    expect(of({ topic: 'x', request_reply: true, subscribe_mode: true }, 'output').replies).toBe('no')
    expect(of({ topic: 'ipc://x' }, 'output').maxPayloadBytes).toBeLessThan(104_857_600)
  })

  it('accepts every example of its own', () => {
    for (const { config } of plugin.endpoints!.memory!.examples) {
      expect(parse(config as Record<string, unknown>).success).toBe(true)
    }
  })
})
