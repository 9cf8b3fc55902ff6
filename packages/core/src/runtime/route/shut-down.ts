import type { Consumer } from '../../contract/consumer.ts'
import type { Publisher } from '../../contract/publisher.ts'
import type { RoutePlan } from '../../plan/plan.ts'
import type { RuntimeContext } from '../context.ts'
import { closeWithin } from '../shell/close-within.ts'
import type { Supervisor } from '../shell/supervisor.ts'
import type { Flow } from './flow.ts'
import { deadlinePassed } from './run-errors.ts'
import type { StopDeadline } from './stop-deadline.ts'

/** How long a stop waits for the commits of batches that have their answers. */
const commitGraceMs = 1000

export interface FinishOptions {
  readonly flow: Flow
  readonly deadline: StopDeadline
  readonly sending: AbortController
  readonly supervisor: Supervisor
  readonly context: RuntimeContext
}

/**
 * Lets sends in flight end until the deadline, gives up on the others, and waits for the commits of what has its answer.
 *
 * @returns how many messages were given up.
 */
export async function finishFlow(options: FinishOptions): Promise<number> {
  const { flow, deadline, sending, supervisor, context } = options
  await Promise.race([flow.whenDone('sends'), deadline.passed])
  const abandoned = flow.abandonSends()
  sending.abort(deadlinePassed())
  // Behind an abandoned batch of an ordered input no commit can be applied, so nothing is gained by waiting.
  const isStuck = abandoned > 0 && supervisor.stuckCommits >= flow.outstandingCommits
  if (flow.isIdle || isStuck) return abandoned
  let cancel = (): void => {}
  const grace = new Promise<void>(resolve => {
    cancel = context.clock.timer(commitGraceMs, resolve)
  })
  await Promise.race([flow.whenDone('all'), grace])
  cancel()
  return abandoned
}

export interface CloseOptions {
  readonly plan: RoutePlan
  readonly input: Consumer | undefined
  readonly output: Publisher | undefined
  readonly supervisor: Supervisor
  readonly context: RuntimeContext
}

/** The input first; then what a chain that hangs or was never completed has left open. */
export async function closeEnds({ plan, input, output, supervisor, context }: CloseOptions): Promise<void> {
  const { clock, log } = context
  if (input !== undefined)
    await closeWithin({ what: plan.input.target, clock, log, close: () => input.close() })
  if (output !== undefined)
    await closeWithin({ what: plan.output.target, clock, log, close: () => output.close() })
  await supervisor.closeAll()
}
