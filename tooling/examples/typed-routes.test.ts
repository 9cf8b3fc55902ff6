import type { EndpointConfig, EndpointConfigs, MiddlewareConfig, RouteConfig } from '@mqb/core'
import { createBridge } from '@mqb/core/runtime'
import '@mqb/delay'
import '@mqb/dlq'
import file from '@mqb/file'
import '@mqb/memory'
import '@mqb/structural'
import { describe, expect, expectTypeOf, it } from 'vitest'

// The compiler is the judge of most of this; the test only has to run.
describe('routes that are written in code', () => {
  it('are typed by the plugins that the program imports', () => {
    const route = {
      batch_size: 10,
      input: { file: { path: 'a.csv', format: 'csv', csv: { separator: ';' } } },
      output: {
        memory: { topic: 't', capacity: 5 },
        middlewares: ['metrics', { dlq: { endpoint: { file: { path: 'dead.jsonl' } } } }],
      },
    } satisfies RouteConfig
    expectTypeOf(route).toExtend<RouteConfig>()
    expectTypeOf<EndpointConfigs['null']>().toEqualTypeOf<null>()
    expectTypeOf<{ input: EndpointConfig; output: null }>().toExtend<RouteConfig>()
    expect(createBridge({ plugins: [file] }).registry.names('endpoint')).toContain('file')
  })

  it('may name what no imported plugin has', () => {
    expectTypeOf<{ shelf: { anything: true } }>().toExtend<EndpointConfig>()
    expectTypeOf<{ own: 1 }>().toExtend<MiddlewareConfig>()
  })

  it('do not compile with a mistake in them', () => {
    const mistakes: readonly RouteConfig[] = [
      // @ts-expect-error a misspelt option
      { input: { memory: { topic: 't' } }, batchsize: 1 },
      // @ts-expect-error no input
      { output: { memory: { topic: 't' } } },
      // @ts-expect-error a misspelt field
      { input: { memory: { topik: 't' } } },
      // @ts-expect-error a format that does not exist
      { input: { file: { path: 'a', format: 'xml' } } },
      // @ts-expect-error a field of the wrong type
      { input: { file: { path: 1 } } },
      // @ts-expect-error a middleware with a field of the wrong type
      { input: { memory: { topic: 't' }, middlewares: [{ delay: { delay_ms: '1' } }] } },
      {
        input: { memory: { topic: 't' } },
        // @ts-expect-error a nested endpoint with a mistake
        output: { null: null, middlewares: [{ dlq: { endpoint: { file: { paht: 'x' } } } }] },
      },
    ]
    expect(mistakes).toHaveLength(7)
  })
})
