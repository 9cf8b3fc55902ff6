import type { Capabilities, Consumer, Publisher } from '@mqb/core'
import { deliveryGuarantee } from '@mqb/core/runtime'
import { describe, expect, it } from 'vitest'
import { inputPlan, outputPlan, routePlan } from './support/plans.ts'

function guarantee(source: Partial<Capabilities>, sink: Partial<Capabilities>) {
  const unused = (): never => {
    throw new Error('nothing is opened')
  }
  return deliveryGuarantee(
    routePlan(
      inputPlan({ open: unused as () => Consumer, capabilities: source }),
      outputPlan({ open: unused as () => Publisher, capabilities: sink }),
    ),
  )
}

const replayable = { keys: ['mqb.src.offset'], replayable: true }

describe('the delivery guarantee', () => {
  it.each([
    ['stable ids and an output that writes an id once', { stableId: true }, { idempotent: 'by_id' }],
    [
      'a replayable position and an output that writes a position once',
      { position: replayable },
      { idempotent: 'by_position' },
    ],
  ] as const)('is effectively-once with %s', (_name, source, sink) => {
    expect(guarantee(source, sink).level).toBe('effectively-once')
  })

  it.each([
    ['an output that writes again', { stableId: true, position: replayable }, {}, /writes again/],
    ['ids that change', { position: replayable }, { idempotent: 'by_id' }, /another id/],
    [
      'a position that is not replayable',
      { stableId: true, position: { keys: [], replayable: false } },
      { idempotent: 'by_position' },
      /cannot be read again/,
    ],
  ] as const)('is at-least-once with %s, and says why', (_name, source, sink, why) => {
    const { level, because } = guarantee(source, sink)
    expect(level).toBe('at-least-once')
    expect(because).toMatch(why)
  })

  it('is at-most-once where one end does not acknowledge', () => {
    expect(guarantee({ acks: false, stableId: true }, { idempotent: 'by_id' }).level).toBe('at-most-once')
    expect(guarantee({}, { acks: false }).level).toBe('at-most-once')
  })
})
