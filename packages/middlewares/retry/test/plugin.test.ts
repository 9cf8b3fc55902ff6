import { type Capabilities, noCapabilities, type PrepareContext } from '@mqb/core'
import { describe, expect, it } from 'vitest'
import plugin, { errorCodes, retryConfig } from '../src/index.ts'

const retry = plugin.middlewares!.retry!

function warningsFor(
  middlewares: readonly string[],
  path = 'orders.output.middlewares[0].retry',
  enclosing: PrepareContext['enclosing'] = [],
): string[] {
  const warnings: string[] = []
  const context: PrepareContext = {
    route: 'orders',
    path,
    side: 'output',
    drain: false,
    batchSize: 512,
    concurrency: 1,
    faultInjection: false,
    capabilities: noCapabilities,
    middlewares,
    enclosing,
    warn: what => warnings.push(what),
  }
  retry.prepare!(retryConfig.parse({}), context)
  return warnings
}

describe('the retry plugin', () => {
  it('has the defaults of the reference', () => {
    expect(retryConfig.parse({})).toEqual({
      max_attempts: 3,
      initial_interval_ms: 100,
      max_interval_ms: 5000,
      multiplier: 2,
    })
  })

  it('refuses values that can not work', () => {
    for (const wrong of [
      { max_attempts: 0 },
      { multiplier: 0.5 },
      { initial_interval_ms: -1 },
      { attempts: 3 },
    ])
      expect(retryConfig.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false)
  })

  it('serves outputs only', () => {
    expect(retry.wrapConsumer).toBeUndefined()
    expect(retry.wrapPublisher).toBeTypeOf('function')
  })

  it('warns where nothing keeps what it gives up on', () => {
    expect(warningsFor(['retry'])).toEqual(['a message that still fails after 3 tries is dropped'])
    expect(warningsFor(['dlq', 'retry'])).toHaveLength(1)
    expect(warningsFor(['retry', 'dlq'])).toEqual([])
    expect(warningsFor(['retry', 'timeout', 'dlq'])).toEqual([])
  })

  it('does not warn where a dlq further out keeps what an inner endpoint gives up on', () => {
    const path = 'orders.output.fanout[0].middlewares[0].retry'
    const fanout = (...kinds: string[]) => ({ kind: 'fanout', middlewares: kinds })
    expect(warningsFor(['retry'], path, [fanout('metrics')])).toHaveLength(1)
    expect(warningsFor(['retry'], path, [fanout('metrics', 'dlq')])).toEqual([])
    expect(warningsFor(['retry'], path, [fanout(), fanout('dlq')])).toEqual([])
  })

  it('does not warn inside a dead-letter endpoint, whose failures stay with the source', () => {
    expect(warningsFor(['retry'], 'orders.output.middlewares[1].dlq.endpoint.middlewares[0].retry')).toEqual(
      [],
    )
  })

  it('asks an ordered output for one send at a time', () => {
    const changed = (orderedPublish: Capabilities['orderedPublish']) =>
      retry.changes!({ ...noCapabilities, orderedPublish }, retryConfig.parse({}), {
        side: 'output',
        concurrency: 1,
      }).orderedPublish
    expect(changed('pipelined')).toBe('serial')
    expect(changed('serial')).toBe('serial')
    expect(changed('no')).toBe('no')
  })

  it('documents its error code', () => {
    expect(Object.keys(errorCodes)).toEqual(['MQB_RETRY_EXHAUSTED'])
  })
})
