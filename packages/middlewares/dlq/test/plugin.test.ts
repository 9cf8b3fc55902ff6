import { type Capabilities, noCapabilities, type PrepareContext } from '@mqb/core'
import { publisherPlan, scriptedPublisher } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import plugin, { errorCodes } from '../src/index.ts'

const dlq = plugin.middlewares!.dlq!
const sound: Capabilities = { ...noCapabilities, acks: true }

const output = { side: 'output', concurrency: 1 } as const

const configOf = (capabilities: Capabilities) => ({
  endpoint: publisherPlan(scriptedPublisher(), { capabilities }),
})

function warningsFor(capabilities: Capabilities): string[] {
  const warnings: string[] = []
  const context: PrepareContext = {
    route: 'orders',
    path: 'orders.output.middlewares[0].dlq',
    side: 'output',
    drain: false,
    batchSize: 512,
    concurrency: 1,
    faultInjection: false,
    capabilities: noCapabilities,
    middlewares: ['dlq'],
    enclosing: [],
    warn: what => warnings.push(what),
  }
  dlq.prepare!(configOf(capabilities), context)
  return warnings
}

describe('the dlq plugin', () => {
  it('serves outputs only', () => {
    expect(dlq.wrapConsumer).toBeUndefined()
    expect(dlq.wrapPublisher).toBeTypeOf('function')
  })

  it('warns about endpoints that lose the reason or the letter', () => {
    expect(warningsFor(sound)).toEqual([])
    expect(warningsFor({ ...sound, lacks: ['metadata'] })[0]).toContain('keeps payloads only')
    expect(warningsFor({ ...sound, acks: false })[0]).toContain('can be lost')
  })

  it('promises an ack only when both endpoints do, and asks for the positions of messages', () => {
    const changed = dlq.changes!(
      { ...sound, replies: 'no', orderedPublish: 'pipelined' },
      configOf({ ...sound, replies: 'yes' }),
      output,
    )
    expect(changed).toMatchObject({
      acks: true,
      replies: 'depends',
      needsPosition: true,
      orderedPublish: 'pipelined',
    })
    expect(dlq.changes!({ ...sound, replies: 'yes' }, configOf(noCapabilities), output)).toMatchObject({
      acks: false,
      replies: 'yes',
    })
  })

  it('documents its codes', () => {
    expect(Object.keys(errorCodes)).toEqual(['MQB_DLQ_FAILED', 'MQB_DEAD_LETTERED'])
  })
})
