import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { configSchema } from '../../src/config/index.ts'
import { defineEndpoint, definePlugin, noCapabilities } from '../../src/define.ts'
import { testRegistry } from './support/plugins.ts'

const never = (): never => {
  throw new Error('nothing is opened in these tests')
}

function validator(registry = testRegistry()) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { structural_endpoint: true } })
  const validate = ajv.compile(configSchema(registry))
  return (config: unknown): string[] =>
    validate(config) ? [] : (validate.errors ?? []).map(error => `${error.instancePath} ${error.message}`)
}

const input = { memory: { topic: 'a' } }

describe('the JSON Schema of a configuration', () => {
  it('is a valid schema that takes every example of every plugin', () => {
    const registry = testRegistry()
    const check = validator(registry)
    for (const plugin of registry.plugins) {
      for (const [name, { examples }] of Object.entries(plugin.endpoints ?? {})) {
        for (const { side, config } of examples) {
          const endpoint = { [name]: name === 'null' ? null : config }
          const route = side === 'input' ? { input: endpoint } : { input, output: endpoint }
          expect(check({ routes: { sample: route } }), name).toEqual([])
        }
      }
      for (const [name, { examples }] of Object.entries(plugin.middlewares ?? {})) {
        for (const { side, config } of examples) {
          const endpoint = { ...input, middlewares: [{ [name]: config }] }
          const route = side === 'input' ? { input: endpoint } : { input, output: endpoint }
          expect(check({ routes: { sample: route } }), name).toEqual([])
        }
      }
    }
  })

  it.each([
    ['a bare route', { input, output: null, batch_size: 3, log_level: 'warn' }],
    ['routes at the top', { orders: { input }, metrics_addr: '127.0.0.1:9090' }],
    ['an export', { config: { routes: { orders: { input } } } }],
    [
      'publishers and consumers',
      { publishers: [{ name: 'a', endpoint: input }], consumers: [{ id: 'b', endpoint: input }] },
    ],
    ...[
      null,
      { mode: 'none' },
      { mode: 'publisher', publisher: 'a' },
      { mode: 'response', headers: [], payload: '' },
    ].map((output): [string, unknown] => [
      `a consumer with the output ${JSON.stringify(output)}`,
      { consumers: [{ name: 'b', endpoint: input, output }] },
    ]),
    ['a bare middleware name', { input: { ...input, middlewares: ['metrics', { metrics: null }] } }],
    ['a custom endpoint', { input: { custom: { name: 'own', config: { a: 1 } } } }],
  ])('takes %s', (_, config) => {
    expect(validator()(config)).toEqual([])
  })

  it.each([
    ['an unknown key', { routes: { orders: { input, ouput: null } } }],
    [
      'a middleware on the wrong side',
      { routes: { orders: { input: { ...input, middlewares: [{ retry: {} }] } } } },
    ],
    ['two endpoints', { routes: { orders: { input: { ...input, file: { path: 'x' } } } } }],
    ['null: {}', { routes: { orders: { input, output: { null: {} } } } }],
    [
      'a nested endpoint with a typo',
      { routes: { orders: { input, output: { fanout: [{ fil: { path: 'x' } }] } } } },
    ],
    ['a consumer without a name', { consumers: [{ endpoint: input }] }],
    [
      'a publisher beside another mode',
      { consumers: [{ name: 'b', endpoint: input, output: { mode: 'none', publisher: 'a' } }] },
    ],
    ['config beside other keys', { config: { routes: {} }, routes: {} }],
  ])('refuses %s', (_, config) => {
    expect(validator()(config)).not.toEqual([])
  })

  it('marks structural endpoints, secrets, sides and URI hints', () => {
    const definitions = configSchema(testRegistry()).$defs as Record<string, Record<string, never>>
    expect(definitions['endpoint.fanout']).toMatchObject({
      format: 'structural_endpoint',
      type: 'array',
      items: { $ref: '#/$defs/output' },
    })
    expect(definitions['endpoint.nats']?.properties).toMatchObject({
      token: { writeOnly: true, type: 'string' },
      ack_wait_ms: { 'x-mqb-side': 'input', default: 30_000 },
      url: { 'x-mqb-uri': 'origin' },
      durable: { 'x-mqb-default-from': 'route' },
    })
    expect(JSON.stringify(definitions)).not.toContain('"secret":')
  })

  it('keeps definitions of a component apart from those of others', () => {
    const node: z.ZodType = z.strictObject({
      get next() {
        return node.optional()
      },
    })
    const registry = testRegistry()
    registry.register(
      definePlugin({
        name: '@test/plain',
        endpoints: {
          recursive: defineEndpoint({
            summary: 'Recursive.',
            config: node,
            examples: [],
            describe: () => '',
            capabilities: () => noCapabilities,
            openPublisher: never,
          }),
          plain: defineEndpoint({
            summary: 'Plain JSON Schema.',
            config: {
              type: 'object',
              properties: { part: { $ref: '#/$defs/part' } },
              required: ['part'],
              additionalProperties: false,
              $defs: { part: { type: 'string', 'x-mqb-uri': 'path' } },
            },
            examples: [],
            describe: () => '',
            capabilities: () => noCapabilities,
            openPublisher: never,
          }),
        },
      }),
    )
    const definitions = configSchema(registry).$defs as Record<string, unknown>
    expect(definitions['endpoint.plain.part']).toEqual({ type: 'string', 'x-mqb-uri': 'path' })
    expect(definitions['endpoint.plain']).toMatchObject({
      properties: { part: { $ref: '#/$defs/endpoint.plain.part' } },
    })
    const check = validator(registry)
    expect(check({ routes: { a: { input, output: { recursive: { next: { next: {} } } } } } })).toEqual([])
    expect(check({ routes: { a: { input, output: { recursive: { next: { net: {} } } } } } })).not.toEqual([])
    expect(check({ routes: { a: { input, output: { plain: { part: 1 } } } } })).not.toEqual([])
  })

  it('shows what is registered in code', () => {
    const registry = testRegistry()
    registry.registerEndpoint(
      'own',
      defineEndpoint({
        summary: 'Own.',
        config: z.strictObject({ amount: z.int() }),
        examples: [],
        describe: () => '',
        capabilities: () => noCapabilities,
        openConsumer: never,
      }),
    )
    expect(validator(registry)({ input: { own: { amount: 1 } } })).toEqual([])
  })
})
