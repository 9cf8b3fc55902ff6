import { describe, expect, it } from 'vitest'
import { ConfigError, planRoute } from '../../src/config/index.ts'
import type { Opening, Publisher } from '../../src/contract/index.ts'
import { definePlugin, noCapabilities } from '../../src/define.ts'
import { ALL_ACKED } from '../../src/outcome/all-acked.ts'
import { testRegistry } from './support/plugins.ts'

const input = { memory: { topic: 'in' } }

function refusal(raw: unknown, registry = testRegistry(), options = {}): string[] {
  try {
    planRoute(raw, 'orders', registry, options)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems
      .filter(problem => problem.severity === 'error')
      .map(({ code, where, what, mend }) => `${code} ${where}: ${what}; ${mend}`)
  }
  return []
}

describe('planRoute', () => {
  it('plans both ends with defaults', () => {
    const plan = planRoute({ input, output: { file: { path: 'out' } } }, 'orders', testRegistry())
    expect(plan.input).toMatchObject({
      kind: 'memory',
      path: 'orders.input.memory',
      config: { capacity: 100 },
    })
    expect(plan.output).toMatchObject({ kind: 'file', target: 'file out' })
    expect(plan.options).toMatchObject({ batch_size: 512, concurrency: 1 })
  })

  it.each([
    ['a missing output', { input }],
    ['null', { input, output: null }],
    ['an empty map', { input, output: {} }],
    ['the bare key', { input, output: { null: null } }],
  ])('takes %s as the null endpoint', (_, raw) => {
    expect(planRoute(raw, 'orders', testRegistry()).output.kind).toBe('null')
  })

  it('keeps middlewares beside nothing', () => {
    const plan = planRoute({ input, output: { middlewares: ['metrics'] } }, 'orders', testRegistry())
    expect(plan.output.kind).toBe('null')
    expect(plan.output.middlewares.map(middleware => middleware.kind)).toEqual(['metrics'])
  })

  it('hands a bare text to the schema of the endpoint', () => {
    const plan = planRoute({ input, output: { static: 'OK' } }, 'orders', testRegistry())
    expect(plan.output.config).toEqual({ body: 'OK', raw: false, metadata: {} })
  })

  it('plans nested endpoints with their paths', () => {
    const raw = {
      input,
      output: {
        fanout: [
          { memory: { topic: 'a' }, middlewares: [{ dlq: { endpoint: { file: { path: 'dead' } } } }] },
          null,
        ],
      },
    }
    const plan = planRoute(raw, 'orders', testRegistry())
    expect(plan.output.children.map(child => child.path)).toEqual([
      'orders.output.fanout[0].memory',
      'orders.output.fanout[1].null',
    ])
    expect(plan.output.children[0]?.children[0]?.path).toBe(
      'orders.output.fanout[0].middlewares[0].dlq.endpoint.file',
    )
  })

  it('reports every problem with its path', () => {
    const raw = {
      input: { nats: { url: '', subjet: 'x' } },
      output: {
        fanout: [{ file: { path: 1 } }, { kafka: {} }],
        middlewares: [{ retry: { attemps: 3, max_attempts: 'x' } }, { dedup: {} }],
      },
      batch_sise: 3,
    }
    expect(refusal(raw)).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_UNKNOWN_KEY orders.batch_sise: the key "batch_sise" is not known in a route; did you mean "batch_size"?",
        "MQB_CONFIG_INVALID orders.input.nats.url: expected at least one server, got an empty text; add one, for example: url: "nats://localhost:4222"",
        "MQB_CONFIG_UNKNOWN_KEY orders.input.nats.subjet: the key "subjet" is not known here; did you mean "subject"?",
        "MQB_CONFIG_INVALID orders.output.middlewares[0].retry.max_attempts: expected a number, got the text "x"; for example: max_attempts: 3",
        "MQB_CONFIG_UNKNOWN_KEY orders.output.middlewares[0].retry.attemps: the key "attemps" is not known here; did you mean "max_attempts"?",
        "MQB_CONFIG_UNKNOWN_MIDDLEWARE orders.output.middlewares[1].dedup: there is no middleware "dedup"; did you mean "deduplication"?",
        "MQB_CONFIG_INVALID orders.output.fanout[0].file.path: expected a text, got the number 1; for example: path: "orders.jsonl"",
        "MQB_CONFIG_NOT_INSTALLED orders.output.fanout[1].kafka: the endpoint kafka comes with the package @mqb/kafka, which is not installed; npm install @mqb/kafka",
      ]
    `)
  })

  it('fills in what defaults to the name of the route', () => {
    const nats = { nats: { url: 'nats://h', subject: 's' } }
    expect(planRoute({ input: nats }, 'orders', testRegistry()).input.config).toMatchObject({
      durable: 'orders',
    })
  })

  it('computes capabilities through the middlewares', () => {
    const raw = { input: { ...input, middlewares: [{ filter: 'a > 1' }] } }
    const plan = planRoute(raw, 'orders', testRegistry())
    expect(plan.input.leafCapabilities.keepsAll).toBe(true)
    expect(plan.input.capabilities.keepsAll).toBe(false)
  })

  it('opens through the opening that it is given', async () => {
    const plan = planRoute({ input }, 'orders', testRegistry())
    const seen: unknown[] = []
    const opening = { openEndpoint: async (opened: unknown) => void seen.push(opened) } as unknown as Opening
    await plan.output.open(opening)
    expect(seen).toEqual([plan.output])
  })

  it('tells a package that is not there from one that is too old', () => {
    const raw = { input, output: { switch: {} } }
    expect(refusal(raw)).toEqual([
      expect.stringContaining('which is not installed; npm install @mqb/structural'),
    ])
    const registry = testRegistry()
    registry.register(definePlugin({ name: '@mqb/structural' }))
    expect(refusal(raw, registry)).toEqual([
      expect.stringContaining(
        'comes with another version of the package @mqb/structural; npm install @mqb/structural@latest',
      ),
    ])
  })

  it('does not change what was handed in', () => {
    const raw = { input: { nats: { url: 'nats://h', subject: 's' }, middlewares: [{ metrics: null }] } }
    const before = structuredClone(raw)
    planRoute(raw, 'orders', testRegistry())
    expect(raw).toEqual(before)
  })

  it('warns about a field of the other side', () => {
    const plan = planRoute(
      { input, output: { nats: { url: 'nats://h', subject: 's', ack_wait_ms: 1 } } },
      'orders',
      testRegistry(),
    )
    expect(plan.warnings).toMatchObject([
      {
        severity: 'warning',
        code: 'MQB_CONFIG_WRONG_SIDE',
        where: 'orders.output.nats.ack_wait_ms',
        what: 'ack_wait_ms means something on an input only; on this output it does nothing',
      },
    ])
  })

  it('refuses an output that answers where nobody waits', () => {
    expect(refusal({ input, output: { response: null } })).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_NO_CALLER orders.output.response: response answers the sender of a message, but nobody waits for an answer at the input memory; use an input whose callers wait, or another output",
      ]
    `)
    expect(refusal({ input: { http: { url: 'http://h' } }, output: { response: null } })).toEqual([])
  })

  it('refuses a nested endpoint that has to answer and never can', () => {
    expect(
      refusal({ input, output: { request: { to: { memory: { topic: 'a' } } } } }),
    ).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_NO_ANSWER orders.output.request.to: memory never answers, but an answer is needed here; use an endpoint that answers, or configure this one so that it does",
      ]
    `)
  })
})

describe('ref', () => {
  const publishers = {
    store: { file: { path: 'x' }, middlewares: ['metrics'] },
    a: { ref: 'b' },
    b: { ref: 'a' },
  }

  it('puts its middlewares outside those of the publisher', () => {
    const plan = planRoute(
      { input, output: { ref: 'store', middlewares: ['retry'] } },
      'orders',
      testRegistry(),
      { publishers },
    )
    expect(plan.output).toMatchObject({ kind: 'file', path: 'orders.output.ref' })
    expect(plan.output.middlewares.map(middleware => middleware.kind)).toEqual(['metrics', 'retry'])
  })

  it('prefers registered configurations and wraps inputs the other way round', () => {
    const registry = testRegistry()
    registry.registerEndpointConfig('shared', {
      memory: { topic: 'x' },
      middlewares: [{ deduplication: { ttl_seconds: 1 } }],
    })
    const plan = planRoute({ input: { ref: 'shared', middlewares: ['metrics'] } }, 'orders', registry)
    expect(plan.input.middlewares.map(middleware => middleware.kind)).toEqual(['metrics', 'deduplication'])
  })

  it('uses a running publisher without ever closing it', async () => {
    const registry = testRegistry()
    const calls: string[] = []
    const publisher: Publisher = {
      send: async () => {
        calls.push('send')
        return ALL_ACKED
      },
      flush: async () => {},
      status: () => ({ healthy: true, target: 'shared' }),
      close: async () => {
        calls.push('close')
      },
    }
    registry.registerPublisher('shared', { publisher, capabilities: { ...noCapabilities, replies: 'yes' } })
    const { output } = planRoute({ input, output: { ref: 'shared' } }, 'orders', registry)
    expect(output).toMatchObject({ kind: 'ref', path: 'orders.output.ref', capabilities: { replies: 'yes' } })
    const opened = await output.definition.openPublisher!(output.config, {} as Opening)
    await opened.send([], new AbortController().signal)
    await opened.close()
    expect(calls).toEqual(['send'])
    registry.unregisterPublisher('shared')
    expect(refusal({ input, output: { ref: 'shared' } }, registry)).toHaveLength(1)
  })

  it('refuses circles, unknown names and publishers as inputs', () => {
    const registry = testRegistry()
    expect(refusal({ input, output: { ref: 'b' } }, registry, { publishers })).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_REF_CYCLE publishers.a: these endpoints refer to one another in a circle: a -> b -> a; let one of them name a real endpoint",
      ]
    `)
    expect(refusal({ input, output: { ref: 'stroe' } }, registry, { publishers })).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_UNKNOWN_REF orders.output.ref: there is no publisher or registered endpoint named "stroe"; did you mean "store"?",
      ]
    `)
    expect(refusal({ input: { ref: 'store' } }, registry, { publishers })).toMatchInlineSnapshot(`
      [
        "MQB_CONFIG_WRONG_SIDE orders.input.ref: store is a publisher: it can only be used as an output; write the endpoint here, or register its configuration under a name",
      ]
    `)
  })

  it('refuses endpoints nested deeper than 16 levels', () => {
    let output: unknown = { memory: { topic: 'x' } }
    for (let level = 0; level < 17; level++) output = { fanout: [output] }
    expect(refusal({ input, output })).toEqual([expect.stringContaining('MQB_CONFIG_NESTING')])
  })
})
