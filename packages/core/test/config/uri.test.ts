import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { parseUri, planRoute, redactUrl, secret } from '../../src/config/index.ts'
import type { Side } from '../../src/contract/index.ts'
import { defineEndpoint, definePlugin, noCapabilities } from '../../src/define.ts'
import { MqbError } from '../../src/errors/mqb-error.ts'
import { testRegistry } from './support/plugins.ts'

const env = { PASSWORD: 'p%40ss', WHOLE: 'file:a.csv', EMPTY: '' }

function parse(uri: string, side: Side = 'output', registry = testRegistry()): unknown {
  return parseUri(uri, { side, registry, env })
}

function refusal(uri: string, side: Side = 'output', registry = testRegistry()): string {
  try {
    return `accepted: ${JSON.stringify(parse(uri, side, registry))}`
  } catch (error) {
    if (!MqbError.is(error)) throw error
    return `${error.code} ${error.what}; ${error.mend}`
  }
}

describe('the grammar of URIs', () => {
  it.each<[string, string, unknown]>([
    ['an endpoint', 'memory:orders', { memory: { topic: 'orders' } }],
    [
      'middlewares',
      'memory:orders|metrics|retry?max_attempts=5',
      { memory: { topic: 'orders' }, middlewares: [{ metrics: {} }, { retry: { max_attempts: 5 } }] },
    ],
    ['a literal bar', 'memory:a%7Cb', { memory: { topic: 'a|b' } }],
    [
      'hyphens in names',
      'memory:a|retry?max-attempts=2',
      { memory: { topic: 'a' }, middlewares: [{ retry: { max_attempts: 2 } }] },
    ],
    ['a number for a number', 'memory:a?capacity=7', { memory: { topic: 'a', capacity: 7 } }],
    ['text for a text', 'postgres://h/db?table=0123', { sqlx: { url: 'postgres://h/db', table: '0123' } }],
    [
      'text that looks like a truth value',
      'postgres://h/db?table=true',
      { sqlx: { url: 'postgres://h/db', table: 'true' } },
    ],
    [
      'a list as JSON',
      'nats://h/s?servers=["a","b"]',
      { nats: { url: 'nats://h', subject: 's', servers: ['a', 'b'] } },
    ],
    [
      'a map as JSON',
      'postgres://h/db?columns={"a":"b"}',
      { sqlx: { url: 'postgres://h/db', columns: { a: 'b' } } },
    ],
    ['a driver option named like a map', 'http://h/x?tls=true', { http: { url: 'http://h/x?tls=true' } }],
    [
      'a block where it is JSON',
      'http://h/x?tls={"required":true}',
      { http: { url: 'http://h/x', tls: { required: true } } },
    ],
    [
      'driver options, verbatim and in order',
      'postgres://u:p@h:5432/db?sslmode=require&table=t&application_name=a%20b',
      { sqlx: { url: 'postgres://u:p@h:5432/db?sslmode=require&application_name=a%20b', table: 't' } },
    ],
    [
      'a whole connection string',
      'postgres:?url=postgres%3A%2F%2Fh%2Fdb%3Fsslmode%3Drequire&table=t',
      { sqlx: { url: 'postgres://h/db?sslmode=require', table: 't' } },
    ],
    ['a fragment, ignored', 'memory:a?capacity=7#note', { memory: { topic: 'a', capacity: 7 } }],
    [
      'origin and path',
      'nats://h:4222/orders.*?stream=S',
      { nats: { url: 'nats://h:4222', subject: 'orders.*', stream: 'S' } },
    ],
    ['the path as a parameter', 'nats://h:4222?subject=a', { nats: { url: 'nats://h:4222', subject: 'a' } }],
    ['an authority as part of the path', 'memory://orders/new', { memory: { topic: 'orders/new' } }],
  ])('takes %s', (_, uri, expected) => {
    expect(parse(uri)).toEqual(expected)
  })

  it.each([
    ['file:a/b.csv', 'a/b.csv'],
    ['file:./a.csv', './a.csv'],
    ['file:/a/b.csv', '/a/b.csv'],
    ['file:///a/b.csv', '/a/b.csv'],
    ['file://localhost/a/b.csv', '/a/b.csv'],
    ['file:a%20b.csv', 'a b.csv'],
    ['-', '-'],
  ])('reads the path of %s', (uri, path) => {
    expect(parse(uri)).toMatchObject({ file: { path } })
  })

  it('takes parameters on standard input and output', () => {
    expect(parse('-?format=csv', 'input')).toEqual({ file: { path: '-', format: 'csv' } })
  })

  it.each<[string, string]>([
    ['an authority in a file URI', 'file://a/b.csv'],
    ['an unknown parameter', 'memory:a?capcity=7'],
    [
      'an unknown parameter beside a whole connection string',
      'postgres:?url=postgres%3A%2F%2Fh&sslmode=require',
    ],
    ['two addresses', 'postgres://h/db?url=postgres%3A%2F%2Fh'],
    ['a parameter given twice', 'memory:a?capacity=1&capacity=2'],
    ['text for a number', 'memory:a?capacity=many'],
    ['broken JSON', 'nats://h/s?servers=["a"'],
    ['no JSON for a list', 'nats://h/s?servers=a,b'],
    ['a broken percent sign', 'memory:50%'],
    ['an empty middleware', 'memory:a||metrics'],
    ['a dangling bar', 'memory:a|'],
    ['an unknown middleware', 'memory:a|retri'],
    ['a middleware that is not installed', 'memory:a|transform'],
    ['an unknown field of a middleware', 'memory:a|retry?attemps=3'],
    ['a plain path', 'orders.csv'],
    ['a scheme without its colon', 'memory'],
    ['an unknown scheme', 'fil:a.csv'],
    ['a scheme whose package is missing', 'kafka://h:9092/orders'],
    ['an unset variable', 'postgres://u:$UNSET@h/db'],
  ])('refuses %s', (_, uri) => {
    expect(refusal(uri)).toMatchSnapshot()
  })

  it('refuses middlewares on the wrong side', () => {
    expect(refusal('memory:a|retry', 'input')).toMatchInlineSnapshot(
      `"MQB_URI_INVALID retry does not work on a source; move it to the target"`,
    )
    expect(refusal('memory:a|deduplication?ttl_seconds=3', 'output')).toMatchInlineSnapshot(
      `"MQB_URI_INVALID deduplication does not work on a target; move it to the source"`,
    )
  })

  it('puts in variables once, before anything is split', () => {
    expect(parse('postgres://u:$PASSWORD@h/db')).toEqual({ sqlx: { url: 'postgres://u:p%40ss@h/db' } })
    expect(parse('$WHOLE')).toEqual({ file: { path: 'a.csv' } })
    expect(parse('memory:${EMPTY:-x}-${NOT:-y}')).toEqual({ memory: { topic: 'x-y' } })
    expect(parse('memory:%24PASSWORD')).toEqual({ memory: { topic: '$PASSWORD' } })
    expect(parse('file:out/${metadata:tenant}.jsonl')).toEqual({
      file: { path: 'out/${metadata:tenant}.jsonl' },
    })
  })

  it('shows no password in an error', () => {
    for (const uri of [
      'postgres://u:s3cr^t/p@ss#1@h:port/db|nothing',
      'nope://u:s3cr^t/p@ss#1@h/db',
      'postgres://u:s3cr^t/p@ss#1@h/db?columns={',
    ]) {
      let text = ''
      try {
        parse(uri)
      } catch (error) {
        text = String(error)
      }
      expect(text).not.toBe('')
      expect(text).not.toContain('s3cr^t')
    }
  })
})

describe('structural URIs', () => {
  const nested = encodeURIComponent('memory:b?capacity=1&capacity=2'.replace('&capacity=2', ''))

  it.each<[string, unknown]>([
    ['null:', { null: null }],
    ['response:', { response: {} }],
    ['static:?body=OK&raw=true&kind=a', { static: { body: 'OK', raw: true, metadata: { kind: 'a' } } }],
    [
      `fanout:?to=memory:a&to=${nested}`,
      { fanout: [{ memory: { topic: 'a' } }, { memory: { topic: 'b', capacity: 1 } }] },
    ],
    [
      'fanout:?to=memory:a%7Cmetrics&mirror=memory:b',
      {
        fanout: [
          { memory: { topic: 'a' }, middlewares: [{ metrics: {} }] },
          { request: { to: { memory: { topic: 'b' } }, forward_to: null } },
        ],
      },
    ],
    [
      'request:?to=memory:a&forward_to=response:',
      { request: { to: { memory: { topic: 'a' } }, forward_to: { response: {} } } },
    ],
    ['request:?to=memory:a', { request: { to: { memory: { topic: 'a' } }, forward_to: null } }],
    [
      'memory:a|dlq?endpoint=file:dead.jsonl%3Fformat=raw',
      {
        memory: { topic: 'a' },
        middlewares: [{ dlq: { endpoint: { file: { path: 'dead.jsonl', format: 'raw' } } } }],
      },
    ],
    [
      'memory:a|dlq?endpoint={"null":null}',
      { memory: { topic: 'a' }, middlewares: [{ dlq: { endpoint: { null: null } } }] },
    ],
  ])('%s', (uri, expected) => {
    expect(parse(uri)).toEqual(expected)
  })

  it('reads the body of static from a file', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'mqb-uri-'))
    writeFileSync(join(cwd, 'body.json'), '{"a":1}\n')
    const raw = parseUri('static:?body_file=body.json', { side: 'input', registry: testRegistry(), cwd })
    expect(raw).toEqual({ static: { body: '{"a":1}\n' } })
  })

  it.each([
    'null:x',
    'null:?a=1',
    'response:?a=1',
    'static:',
    'static:OK',
    'static:?body=a&body_file=b',
    'static:?body=a&body=b',
    'static:?Body=a',
    'static:?body=a&raw=yes',
    'static:?body_file=/does/not/exist',
    'fanout:',
    'fanout:?too=memory:a',
    'fanout:?to=memori:a',
    'request:?forward_to=null:',
    'request:?to=memory:a&to=memory:b',
    'switch:',
    'switch:?metadata_key=k&case.a=null:&when=x&to=null:',
    'switch:?to=memory:a',
    'switch:?when=a&to=memory:a&to=memory:b',
    'switch:?when=a',
    'switch:?when=a&when=b&to=memory:a',
    'switch:?metadata_key=k',
    'switch:?case.a=memory:a',
    'switch:?metadata_key=k&case.a=memory:a&case.a=memory:b',
    'switch:?metadata_key=k&case.a=memory:a&defalt=null:',
    'switch:?metadata_key=k&case.a=memory:a',
    'switch:?when=amount>1 and kind=="a"&to=memory:a&default=null:',
  ])('refuses %s', uri => {
    expect(refusal(uri)).toMatchSnapshot()
  })

  it('makes both forms of switch once it is there', () => {
    const registry = testRegistry()
    registry.registerEndpoint(
      'switch',
      defineEndpoint({
        summary: '',
        config: z.unknown(),
        examples: [],
        describe: () => '',
        capabilities: () => noCapabilities,
        openPublisher: async () => {
          throw new Error('not opened')
        },
      }),
    )
    expect(
      parse('switch:?metadata_key=k&case.a=memory:a&case.b=memory:b&default=null:', 'output', registry),
    ).toEqual({
      switch: {
        metadata_key: 'k',
        cases: { a: { memory: { topic: 'a' } }, b: { memory: { topic: 'b' } } },
        default: { null: null },
      },
    })
    expect(parse('switch:?when=a > 1&to=memory:a&when=b&to=memory:b', 'output', registry)).toEqual({
      switch: {
        when: [
          { if: 'a > 1', to: { memory: { topic: 'a' } } },
          { if: 'b', to: { memory: { topic: 'b' } } },
        ],
      },
    })
  })
})

describe('schemes of plugins', () => {
  const plugin = definePlugin({
    name: '@test/schemes',
    endpoints: {
      cdc: defineEndpoint({
        summary: '',
        config: z.strictObject({
          url: z.string().meta({ uri: 'url' }),
          slot: z.string().default('mqb'),
          consume: z.string().optional(),
        }),
        examples: [],
        describe: () => '',
        capabilities: () => noCapabilities,
        openConsumer: async () => {
          throw new Error('not opened')
        },
      }),
      queue: defineEndpoint({
        summary: '',
        config: z.strictObject({
          servers: z.string().meta({ uri: 'origin' }),
          topic: z.string().meta({ uri: 'path' }),
          password: secret().optional(),
        }),
        examples: [],
        describe: () => '',
        capabilities: () => noCapabilities,
        openConsumer: async () => {
          throw new Error('not opened')
        },
      }),
    },
    schemes: {
      'postgres-cdc': { endpoint: 'cdc', rewriteTo: 'postgres', defaults: { consume: 'all' } },
      strict: { endpoint: 'cdc', strictParameters: true },
      queue: { endpoint: 'queue', rewriteTo: '' },
      lower: {
        endpoint: 'cdc',
        derive: ({ path, side, parameters }) => ({ slot: `${path} ${side} ${parameters.x}` }),
      },
    },
  })

  function registry() {
    const made = testRegistry()
    made.register(plugin)
    return made
  }

  it('rewrite the scheme, set defaults, and let parameters win', () => {
    expect(parse('postgres-cdc://h/db', 'input', registry())).toEqual({
      cdc: { url: 'postgres://h/db', consume: 'all' },
    })
    expect(parse('postgres-cdc://h/db?consume=new', 'input', registry())).toMatchObject({
      cdc: { consume: 'new' },
    })
  })

  it('write only the authority where the scheme is rewritten to nothing', () => {
    expect(parse('queue://a:1,b:2/orders', 'input', registry())).toEqual({
      queue: { servers: 'a:1,b:2', topic: 'orders' },
    })
  })

  it('refuse driver options where they are strict', () => {
    expect(refusal('strict://h?x=1', 'input', registry())).toMatchInlineSnapshot(
      `"MQB_URI_INVALID there is no parameter "x"; known parameters: consume, slot, url"`,
    )
  })

  it('derive fields from the URI', () => {
    expect(parse('lower://h?x=1', 'input', registry())).toMatchObject({ cdc: { slot: '//h input 1' } })
  })

  it('of registered endpoints are their names, with a part behind a plus', () => {
    const made = registry()
    const endpoint = (config: z.ZodType) =>
      defineEndpoint({
        summary: '',
        config,
        examples: [],
        describe: () => '',
        capabilities: () => noCapabilities,
        openConsumer: async () => {
          throw new Error('not opened')
        },
      })
    made.registerEndpoint(
      'own_source',
      endpoint(z.strictObject({ kind: z.string().meta({ uri: 'subscheme' }), limit: z.int() })),
    )
    made.registerEndpoint('loose', endpoint(z.unknown()))
    made.registerEndpoint('shelf', endpoint(z.strictObject({ name: z.string().meta({ uri: 'path' }) })))
    expect(parse('shelf:a%20b', 'input', made)).toEqual({ shelf: { name: 'a b' } })
    expect(() => parse('shelf:a%zz', 'input', made)).toThrow('write %25 for a literal "%"')
    expect(parse('own_source+fast:?limit=3', 'input', made)).toEqual({
      own_source: { kind: 'fast', limit: 3 },
    })
    expect(parse('loose:a/b?limit=3', 'input', made)).toEqual({ loose: { url: 'loose:a/b', limit: '3' } })
  })

  it('make what a route can be planned with', () => {
    const made = testRegistry()
    const raw = { input: parse('memory:a', 'input', made), output: parse('file:x|retry', 'output', made) }
    expect(planRoute(raw, 'copy', made).output.middlewares).toHaveLength(1)
  })
})

describe('redactUrl', () => {
  it.each([
    ['postgres://u:p@h/db', 'postgres://u:***@h/db'],
    ['postgres://u:s3cr^t/p@ss#1@h/db', 'postgres://u:***@h/db'],
    ['http://h:8080/a?b=c@d', 'http://h:8080/a?b=c@d'],
    ['amqp://:p@h', 'amqp://:***@h'],
    ['x://h?user=a&password=b&c=d', 'x://h?user=a&password=***&c=d'],
    ['memory:a|encryption?key=abc&cipher=x', 'memory:a|encryption?key=***&cipher=x'],
  ])('%s', (text, expected) => {
    expect(redactUrl(text)).toBe(expected)
  })
})
