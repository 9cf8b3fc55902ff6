import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { ConfigError, loadConfig, parseUri, planRoute } from '../../src/config/index.ts'
import { defineEndpoint, definePlugin, noCapabilities } from '../../src/define.ts'
import { MqbError } from '../../src/errors/mqb-error.ts'
import { testRegistry } from './support/plugins.ts'
import { errorsOf, folderWith, load } from './support/workspace.ts'

const registry = testRegistry()
const cwd = folderWith({})

const good = `# a bridge
log_level: info
publishers:
  store: { file: { path: out.jsonl, headers: { a: "b" } } }
routes:
  orders:
    batch_size: 100
    input:
      nats: { url: "nats://u:p@h:4222", subject: orders.*, tls: { required: true } }
      middlewares:
        - deduplication: { ttl_seconds: 60, key: "\${payload:id}" }
    output:
      fanout:
        - ref: store
        - memory: { topic: 0123 }
          middlewares: [metrics, { dlq: { endpoint: { file: { path: dead } } } }]
`

describe('loading', () => {
  it('never throws, and says something useful, whatever is in the file', () => {
    const edit = fc.record({
      at: fc.nat(good.length),
      remove: fc.nat(12),
      insert: fc.oneof(
        fc.constantFrom(
          '',
          '{',
          '}',
          '[',
          ']',
          ':',
          '- ',
          '\n',
          '\t',
          '"',
          "'",
          '~',
          '*a',
          '&a ',
          '!!x ',
          '$A',
          '${A}',
          '#',
          '<<: 1',
          '\u0000',
          '…',
        ),
        fc.string({ maxLength: 5 }),
      ),
    })
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 4 }), edits => {
        const text = edits.reduce(
          (before, { at, remove, insert }) => before.slice(0, at) + insert + before.slice(at + remove),
          good,
        )
        const { problems } = loadConfig({ text, cwd, env: {}, registry })
        for (const problem of problems) {
          expect(problem.code).toMatch(/^MQB_[A-Z_]+$/)
          expect(problem.code).not.toBe('MQB_PLUGIN_FAULT')
          expect(problem.what).not.toBe('')
          expect(problem.what).not.toContain('\u0000')
          expect(problem.mend).not.toBe('')
        }
      }),
      { numRuns: 500 },
    )
  })

  it('never throws for any value in the place of a route', () => {
    fc.assert(
      fc.property(
        fc.anything({
          maxDepth: 4,
          key: fc.constantFrom(
            'input',
            'output',
            'file',
            'memory',
            'ref',
            'path',
            'middlewares',
            'fanout',
            'null',
            '__proto__',
          ),
        }),
        raw => {
          try {
            planRoute(raw, 'any', registry, { env: {} })
          } catch (error) {
            expect(error).toBeInstanceOf(ConfigError)
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  it('counts what aliases unfold into, not what stands behind the first of them', () => {
    const line = `  - [${Array.from({ length: 100 }, () => 'x').join(',')}]\n`
    const text = `a: &in { path: a }\nb: *in\nc:\n${line.repeat(1100)}d: *in\n`
    const { problems } = load({ 'config.yml': text })
    expect(problems.filter(problem => problem.code === 'MQB_CONFIG_SYNTAX')).toEqual([])
  })

  it('refuses aliases that unfold into too much, or stand inside what they name', () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]']
    for (let level = 1; level < 12; level++) {
      lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(',')}]`)
    }
    expect(errorsOf(load({ 'config.yml': lines.join('\n') })).join('\n')).toContain('unfold into too much')
    expect(errorsOf(load({ 'config.yml': 'a: &a { input: *a }' })).join('\n')).toContain(
      'stands inside what it names',
    )
  })

  it('takes no key for a prototype', () => {
    const found = errorsOf(
      load({ 'config.yml': 'a: { input: { memory: { topic: x, __proto__: { capacity: 3 } } } }\n' }),
    )
    expect(found).toEqual([expect.stringContaining('the key "__proto__" is not known here')])
    expect(({} as Record<string, unknown>).capacity).toBeUndefined()
  })
})

describe('URIs', () => {
  it('are read or refused, never more', () => {
    const piece = fc.constantFrom(
      'file:',
      'memory:',
      'postgres://u:p@h/db',
      '?',
      '&',
      '=',
      '|',
      'retry',
      'fanout:',
      'to=',
      'a',
      '%',
      '%7C',
      '#',
      '$A',
      '{',
      '[1]',
      ':',
      '//',
      'switch:?when=x',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom('input', 'output'), (pieces, side) => {
        try {
          parseUri(pieces.join(''), { side: side as 'input', registry, env: {} })
        } catch (error) {
          expect(MqbError.is(error)).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('a plugin', () => {
  const input = { memory: { topic: 'a' } }
  const pluginWith = (config: z.ZodType, capabilities = () => noCapabilities) =>
    definePlugin({
      name: '@test/own',
      endpoints: {
        own: defineEndpoint({
          summary: '',
          config,
          examples: [],
          describe: () => '',
          capabilities,
          openPublisher: async () => {
            throw new Error('not opened')
          },
        }),
      },
    })

  it('with a field helper of another copy of core is understood', async () => {
    vi.resetModules()
    const other = await import('../../src/config/fields.ts')
    const made = testRegistry()
    made.register(pluginWith(z.strictObject({ to: other.endpoint('output'), key: other.template() })))
    const plan = planRoute(
      { input, output: { own: { to: { file: { path: 'x' } }, key: '${env:A}' } } },
      'a',
      made,
      { env: { A: 'b' } },
    )
    expect(plan.output.children.map(child => child.path)).toEqual(['a.output.own.to.file'])
    expect(plan.output.config).toMatchObject({ key: { prefix: 'b' } })
    expect(() => planRoute({ input, output: { own: { to: { fil: {} }, key: 'x' } } }, 'a', made)).toThrow(
      /did you mean "file"/,
    )
  })

  it('that throws while it checks is named as the one at fault', () => {
    const made = testRegistry()
    made.register(
      pluginWith(
        z.strictObject({}).refine(() => {
          throw new Error('oops')
        }),
      ),
    )
    expect(() => planRoute({ input, output: { own: {} } }, 'a', made)).toThrow(/MQB_PLUGIN_FAULT.*oops/s)
    const other = testRegistry()
    other.register(
      pluginWith(z.strictObject({}), () => {
        throw new MqbError({ kind: 'config', code: 'MQB_OWN', what: 'no such combination', mend: 'choose' })
      }),
    )
    expect(() => planRoute({ input, output: { own: {} } }, 'a', other)).toThrow(
      /MQB_OWN a\.output\.own\s+no such combination/s,
    )
  })

  it('with plain JSON Schema is checked in the same words', () => {
    const made = testRegistry()
    made.register(
      definePlugin({
        name: '@test/plain',
        endpoints: {
          plain: defineEndpoint({
            summary: '',
            config: {
              type: 'object',
              properties: { size: { type: 'integer', minimum: 1 }, key: { type: 'string', writeOnly: true } },
              required: ['size'],
              additionalProperties: false,
            },
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
    expect(planRoute({ input, output: { plain: { size: 3 } } }, 'a', made).output.config).toEqual({ size: 3 })
    expect(() => planRoute({ input, output: { plain: { siez: 3 } } }, 'a', made)).toThrow(
      /did you mean "size"/,
    )
    expect(() => planRoute({ input, output: { plain: { size: 0, key: 7 } } }, 'a', made)).toThrow(
      /a number from 1 on, got the number 0[\s\S]*expected a text, got a number/,
    )
  })
})
