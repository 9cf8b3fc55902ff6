import type { RoutePlan } from '../../plan/plan.ts'

/** How often a message can reach the sink when things go wrong. */
export interface DeliveryGuarantee {
  readonly level: 'effectively-once' | 'at-least-once' | 'at-most-once'
  /** What in the configuration leads to it. */
  readonly because: string
}

/** Follows from what the two ends promise, middlewares included. It reports; it changes nothing. */
export function deliveryGuarantee({ input, output }: RoutePlan): DeliveryGuarantee {
  const source = input.capabilities
  const sink = output.capabilities
  if (!source.acks)
    return {
      level: 'at-most-once',
      because: `${input.target} forgets messages when it hands them out, so what is in flight at a failure is lost`,
    }
  if (!sink.acks)
    return {
      level: 'at-most-once',
      because: `${output.target} does not confirm what it takes, so a loss on the way is not noticed`,
    }
  if (source.stableId && sink.idempotent === 'by_id')
    return {
      level: 'effectively-once',
      because: 'a message keeps its id when it is read again, and the output writes an id once',
    }
  if (source.position?.replayable === true && sink.idempotent === 'by_position')
    return {
      level: 'effectively-once',
      because: 'the source can be read again from a position, and the output writes a position once',
    }
  return { level: 'at-least-once', because: whyTwice(source.stableId, sink.idempotent) }
}

function whyTwice(stableId: boolean, idempotent: 'no' | 'by_id' | 'by_position'): string {
  if (idempotent === 'no') return 'the output writes again what is delivered again'
  if (idempotent === 'by_id' && !stableId) return 'a message gets another id when it is read again'
  return 'the source cannot be read again from a position'
}
