import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import {
  ConfigError,
  endpoint,
  formatReport,
  milliseconds,
  planRoute,
  secret,
  type TlsConfig,
  template,
  tls,
} from '../../src/config/index.ts'
import { defineEndpoint, definePlugin, noCapabilities } from '../../src/define.ts'
import type { EndpointPlan } from '../../src/plan/plan.ts'
import type { Template } from '../../src/template/template.ts'
import { testRegistry } from './support/plugins.ts'

const schema = z.strictObject({
  to: endpoint('output'),
  from: endpoint('input').optional(),
  key: template().optional(),
  password: secret().optional(),
  url: z.url().optional().meta({ uri: 'url' }),
  mode: z.enum(['a', 'b']).optional().meta({ secret: true }),
  tls: tls().optional(),
})

const registry = testRegistry()
registry.register(
  definePlugin({
    name: '@test/fields',
    endpoints: {
      own: defineEndpoint({
        summary: '',
        config: schema,
        examples: [],
        describe: () => '',
        capabilities: () => noCapabilities,
        openPublisher: async () => {
          throw new Error('not opened')
        },
      }),
    },
  }),
)

function plan(own: Record<string, unknown>) {
  return planRoute({ input: { memory: { topic: 'a' } }, output: { own } }, 'r', registry, { env: {} })
}

function report(own: Record<string, unknown>): string {
  try {
    plan(own)
  } catch (error) {
    if (error instanceof ConfigError) return formatReport(error.problems)
    throw error
  }
  return ''
}

describe('milliseconds', () => {
  it('take whole numbers that a timer can wait', () => {
    for (const [least, value, fits] of [
      [0, 0, true],
      [1, 0, false],
      [1, 2_147_483_647, true],
      [1, 2_147_483_648, false],
      [0, 1.5, false],
    ] as const)
      expect(milliseconds(least).safeParse(value).success, `${value} from ${least}`).toBe(fits)
  })
})

describe('the fields of @mqb/core/config', () => {
  it('give the component plans, templates and plain values', () => {
    type Config = z.output<typeof schema>
    expectTypeOf<Config['to']>().toEqualTypeOf<EndpointPlan<'output'>>()
    expectTypeOf<Config['from']>().toEqualTypeOf<EndpointPlan<'input'> | undefined>()
    expectTypeOf<Config['key']>().toEqualTypeOf<Template | undefined>()
    expectTypeOf<Config['password']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Config['tls']>().toEqualTypeOf<TlsConfig | undefined>()
    const { config } = plan({
      to: null,
      from: { memory: { topic: 'b' } },
      key: '${metadata:k}',
      tls: {},
    }).output
    expect(config).toMatchObject({
      to: { kind: 'null', side: 'output', path: 'r.output.own.to.null' },
      from: { kind: 'memory', side: 'input' },
      key: { metadataKeys: ['k'] },
      tls: { required: false, accept_invalid_certs: false },
    })
  })

  it('say that a nested endpoint is missing, with an example', () => {
    expect(report({})).toMatchInlineSnapshot(`
      "MQB_CONFIG_MISSING r.output.own.to
        to is required and is not set
        add it, for example: to: { file: { path: "out.jsonl" } }"
    `)
  })

  it('check the side of a nested endpoint', () => {
    expect(report({ to: null, from: { fanout: [null] } })).toMatchInlineSnapshot(`
      "MQB_CONFIG_WRONG_SIDE r.output.own.from.fanout
        fanout is no input: it can only be used as an output
        use another endpoint as the input"
    `)
  })

  it('never show a secret, a URL, or what came from the environment', () => {
    const text = report({
      to: null,
      password: ['hunter22'],
      url: 's3cr^t, no URL',
      mode: 'hunter22',
      tls: { cert_password: { hunter22: 1 } },
    })
    expect(text).toContain('r.output.own.url')
    expect(text).toContain('r.output.own.mode')
    expect(text).toContain('r.output.own.tls.cert_password')
    expect(text).not.toMatch(/hunter22|s3cr/)
  })

  it('hide secrets also in what others say', () => {
    const made = testRegistry()
    made.register(
      definePlugin({
        name: '@test/talkative',
        endpoints: {
          talkative: defineEndpoint({
            summary: '',
            config: z.strictObject({ url: z.string(), password: secret() }).check(context => {
              const { url, password } = context.value
              context.issues.push({
                code: 'custom',
                message: `cannot use ${password} for ${url}`,
                input: url,
              })
            }),
            examples: [],
            describe: () => '',
            capabilities: () => noCapabilities,
            openPublisher: async () => {
              throw new Error('not opened')
            },
          }),
        },
      }),
    )
    const talkative = { url: 'x://u:s3cr^t/p@ss#1@h', password: 'hunter22' }
    expect(() => planRoute({ input: { memory: { topic: 'a' } }, output: { talkative } }, 'r', made)).toThrow(
      'cannot use *** for x://u:***@h',
    )
  })

  it('cannot be parsed without the planner', () => {
    expect(() => schema.parse({ to: null })).toThrow(TypeError)
    expect(() => schema.parse({ to: null })).toThrow(/planner/)
  })
})
