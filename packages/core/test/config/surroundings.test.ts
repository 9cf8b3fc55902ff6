import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, endpoint, planEndpoint, planRoute, prepareRoute } from '../../src/config/index.ts'
import type { ChangeContext, PrepareContext } from '../../src/contract/index.ts'
import { defineEndpoint, defineMiddleware, definePlugin, noCapabilities } from '../../src/define.ts'

const never = async () => {
  throw new TypeError('opened')
}
const part = { summary: 'A part.', examples: [] }

/** A leaf, an endpoint around others, and middlewares that tell where they stand. */
function world() {
  const changed: (ChangeContext & { name: string })[] = []
  const prepared: Pick<PrepareContext, 'path' | 'enclosing'>[] = []
  const telling = (name: string) =>
    defineMiddleware<unknown>({
      ...part,
      config: z.strictObject({ name: z.string().default(name), endpoint: endpoint('output').optional() }),
      changes(capabilities, config, context) {
        changed.push({ name: (config as { name: string }).name, ...context })
        return capabilities
      },
      prepare(_config, { path, enclosing }) {
        prepared.push({ path, enclosing })
      },
      wrapConsumer: inner => inner,
      wrapPublisher: inner => inner,
    })
  const plugin = definePlugin({
    name: 'surroundings',
    endpoints: {
      leaf: defineEndpoint<unknown>({
        ...part,
        config: z.strictObject({}),
        describe: () => 'leaf',
        capabilities: () => noCapabilities,
        openConsumer: never,
        openPublisher: never,
      }),
      around: defineEndpoint<unknown>({
        ...part,
        config: z.strictObject({ to: endpoint('output') }),
        describe: () => 'around',
        capabilities: () => noCapabilities,
        openPublisher: never,
      }),
    },
    middlewares: { dlq: telling('dlq'), metrics: telling('metrics'), retry: telling('retry') },
  })
  return { registry: createRegistry({ plugins: [plugin] }), changed, prepared }
}

const input = { leaf: {}, middlewares: [{ metrics: { name: 'at the input' } }] }
const output = {
  around: { to: { leaf: {}, middlewares: [{ retry: { name: 'nested' } }] } },
  middlewares: [{ metrics: { name: 'at the output' } }],
}

describe('what a middleware knows when it says what it promises', () => {
  it('is the concurrency of the route at its ends, and nothing is known within an endpoint', () => {
    const { registry, changed } = world()
    planRoute({ concurrency: 3, input, output }, 'r', registry)
    expect(changed).toContainEqual({ name: 'at the output', side: 'output', concurrency: 3 })
    expect(changed).toContainEqual({ name: 'nested', side: 'output', concurrency: Number.POSITIVE_INFINITY })
  })

  it('is the concurrency that the options have by default', () => {
    const { registry, changed } = world()
    planRoute({ input, output }, 'r', registry)
    expect(changed).toContainEqual({ name: 'at the output', side: 'output', concurrency: 1 })
  })

  it('holds behind a ref at the output too', () => {
    const { registry, changed } = world()
    const publishers = { out: { leaf: {}, middlewares: [{ retry: { name: 'of the ref' } }] } }
    planRoute({ concurrency: 2, input, output: { ref: 'out' } }, 'r', registry, { publishers })
    expect(changed).toContainEqual({ name: 'of the ref', side: 'output', concurrency: 2 })
  })

  it('is nothing for an endpoint outside of a route', () => {
    const { registry, changed } = world()
    planEndpoint(output, 'output', registry)
    expect(changed.map(context => context.concurrency)).toEqual([
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ])
  })

  it('is the same while the route is prepared', async () => {
    const { registry, changed } = world()
    const plan = planRoute({ concurrency: 3, input, output }, 'r', registry)
    const planned = [...changed].sort(byName)
    changed.length = 0
    await prepareRoute(plan)
    expect([...changed].sort(byName)).toEqual(planned)
  })
})

describe('what a part of a nested endpoint knows about its surroundings', () => {
  it('is every endpoint around it, nearest first, with the middlewares that its outcomes still pass', async () => {
    const { registry, prepared } = world()
    const plan = planRoute(
      {
        input: { leaf: {} },
        output: {
          around: { to: { around: { to: { leaf: {}, middlewares: ['retry'] } }, middlewares: ['metrics'] } },
          middlewares: ['metrics', { dlq: { endpoint: { leaf: {}, middlewares: ['retry'] } } }, 'retry'],
        },
      },
      'r',
      registry,
    )
    await prepareRoute(plan)
    const around = (...middlewares: string[]) => ({ kind: 'around', middlewares })
    const all = around('metrics', 'dlq', 'retry')
    expect(Object.fromEntries(prepared.map(({ path, enclosing }) => [path, enclosing]))).toEqual({
      'r.output.middlewares[0].metrics': [],
      'r.output.middlewares[1].dlq': [],
      'r.output.middlewares[2].retry': [],
      'r.output.around.to.middlewares[0].metrics': [all],
      'r.output.around.to.around.to.middlewares[0].retry': [around('metrics'), all],
      // A dead letter passes only what stands outside of its dlq.
      'r.output.middlewares[1].dlq.endpoint.middlewares[0].retry': [around('retry')],
    })
  })
})

const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)
