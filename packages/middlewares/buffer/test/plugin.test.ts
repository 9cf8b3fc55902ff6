import { type Capabilities, noCapabilities, type PrepareContext } from '@mqb/core'
import { describe, expect, it } from 'vitest'
import plugin, { bufferConfig } from '../src/index.ts'

const buffer = plugin.middlewares!.buffer!

function warningsFor(
  config: { max_messages: number; max_delay_ms: number },
  changes: Partial<PrepareContext>,
) {
  const warnings: string[] = []
  buffer.prepare!(bufferConfig.parse(config), {
    route: 'orders',
    path: 'orders.output.middlewares[0].buffer',
    side: 'output',
    drain: false,
    batchSize: 512,
    concurrency: 1,
    faultInjection: false,
    capabilities: noCapabilities,
    middlewares: ['buffer'],
    enclosing: [],
    warn: what => warnings.push(what),
    ...changes,
  })
  return warnings
}

describe('the buffer plugin', () => {
  it('needs both fields', () => {
    expect(bufferConfig.safeParse({ max_messages: 1 }).success).toBe(false)
    expect(bufferConfig.safeParse({ max_delay_ms: 1 }).success).toBe(false)
    expect(bufferConfig.safeParse({ max_messages: 0, max_delay_ms: 0 }).success).toBe(false)
    expect(bufferConfig.safeParse({ max_messages: 1, max_delay_ms: 0 }).success).toBe(true)
  })

  it('warns at concurrency 1 only where short batches pay the delay for nothing', () => {
    expect(warningsFor({ max_messages: 1000, max_delay_ms: 20 }, {})[0]).toContain('waits 20 ms for nothing')
    expect(warningsFor({ max_messages: 1000, max_delay_ms: 0 }, {})).toEqual([])
    expect(warningsFor({ max_messages: 512, max_delay_ms: 20 }, {})).toEqual([])
  })

  it('does not warn about the delay below an endpoint that sends messages one by one', () => {
    const path = 'orders.output.request.to.middlewares[0].buffer'
    expect(warningsFor({ max_messages: 1000, max_delay_ms: 20 }, { path })).toEqual([])
  })

  it('warns about the order above concurrency 1', () => {
    expect(warningsFor({ max_messages: 100, max_delay_ms: 0 }, { concurrency: 4 })[0]).toContain(
      'another order',
    )
  })

  it('warns on an input that asks for more than the route takes', () => {
    expect(warningsFor({ max_messages: 1000, max_delay_ms: 20 }, { side: 'input', concurrency: 4 })).toEqual([
      'the route takes at most 512 messages at a time, so max_messages 1000 is never reached',
    ])
    expect(warningsFor({ max_messages: 512, max_delay_ms: 20 }, { side: 'input' })).toEqual([])
  })

  it('keeps the order of an output where one send at a time comes, and of no other', () => {
    const config = bufferConfig.parse({ max_messages: 1, max_delay_ms: 0 })
    const orderAt = (orderedPublish: Capabilities['orderedPublish'], concurrency: number) =>
      buffer.changes!({ ...noCapabilities, orderedPublish }, config, { side: 'output', concurrency })
        .orderedPublish
    expect(orderAt('pipelined', 1)).toBe('serial')
    expect(orderAt('serial', 1)).toBe('serial')
    expect(orderAt('no', 1)).toBe('no')
    expect(orderAt('serial', 2)).toBe('no')
    expect(orderAt('pipelined', Number.POSITIVE_INFINITY)).toBe('no')
  })

  it('changes nothing at an input', () => {
    const config = bufferConfig.parse({ max_messages: 1, max_delay_ms: 0 })
    const context = { side: 'input', concurrency: 4 } as const
    expect(buffer.changes!(noCapabilities, config, context)).toBe(noCapabilities)
  })
})
