import type { EndpointPlan } from '../../plan/plan.ts'
import type { Cursor } from '../tree/cursor.ts'
import type { PlanContext } from './context.ts'
import { placeOf, walkPlans } from './plan-node.ts'

/** Refuses an output that answers whoever sent the message, on a route whose input has nobody who waits. */
export function checkReplies(
  input: EndpointPlan,
  output: EndpointPlan,
  route: Cursor,
  { findings }: PlanContext,
): void {
  if (input.capabilities.replies === 'yes') return
  for (const plan of walkPlans(output)) {
    if (plan.side !== 'output' || plan.definition.needsCaller !== true) continue
    const where = placeOf(plan) ?? route.child('output')
    if (input.capabilities.replies === 'no') {
      findings.error(where, {
        code: 'MQB_CONFIG_NO_CALLER',
        what: `${plan.kind} answers the sender of a message, but nobody waits for an answer at the input ${input.kind}`,
        mend: 'use an input whose callers wait, or another output',
      })
    } else {
      findings.warning(where, {
        code: 'MQB_CONFIG_NO_CALLER',
        what: `${plan.kind} answers the sender of a message; at the input ${input.kind} not every sender waits for an answer`,
        mend: 'messages without such a sender are acknowledged without an answer',
      })
    }
  }
}
