import type { Logger } from '../../contract/logger.ts'
import type { ConfigProblem, RoutePlan } from '../../plan/plan.ts'
import { deliveryGuarantee } from './guarantee.ts'
import type { RouteResult } from './route-status.ts'
import { type Condition, sendPending } from './status-view.ts'

/** A route that is stuck again and again says so this often at most. */
const tellAgainMs = 10_000

/** The lines that every run of a route writes. */
export class RunLog {
  private readonly plan: RoutePlan
  private readonly log: Logger
  private stuckBecause: string | undefined
  private toldMs = Number.NEGATIVE_INFINITY

  constructor(plan: RoutePlan, log: Logger) {
    this.plan = plan
    this.log = log
  }

  /** Source, sink and guarantee in one line, then what is worth a second look. */
  starting(warnings: readonly ConfigProblem[]): void {
    const { name, input, output } = this.plan
    const { level, because } = deliveryGuarantee(this.plan)
    this.log.info(`route ${name}: ${input.target} → ${output.target}, ${level}: ${because}`, {
      code: 'MQB_ROUTE_STARTING',
      source: input.kind,
      sink: output.kind,
      guarantee: level,
    })
    for (const { code, where, what, mend } of warnings)
      this.log.warn(mend === '' ? `${where}: ${what}` : `${where}: ${what}; ${mend}`, { code })
  }

  ready(): void {
    this.log.info(`route ${this.plan.name} is ready`, { code: 'MQB_ROUTE_READY' })
  }

  /**
   * Called now and then: a route that neither fails nor gets on says why, once, and when it is over.
   *
   * @param nowMs monotonic.
   */
  condition({ state, reason }: Condition, nowMs: number): void {
    const { name } = this.plan
    const isStuck = state === 'blocked' || reason === sendPending
    if (isStuck === (this.stuckBecause !== undefined)) return
    if (!isStuck) {
      this.stuckBecause = undefined
      if (state === 'running') this.log.info(`route ${name} gets on again`, { code: 'MQB_ROUTE_UNBLOCKED' })
    } else if (nowMs - this.toldMs >= tellAgainMs) {
      this.stuckBecause = reason ?? state
      this.toldMs = nowMs
      this.log.warn(`route ${name} does not get on, and tries again: ${this.stuckBecause}`, {
        code: 'MQB_ROUTE_BLOCKED',
      })
    }
  }

  flushFailed(reason: string): void {
    this.log.warn(`the output failed to flush: ${reason}`, { code: 'MQB_FLUSH_FAILED' })
  }

  ended({ outcome, error, counts, abandoned }: RouteResult, imbalance: number): void {
    const { name } = this.plan
    if (imbalance !== 0 || counts.inFlight !== 0)
      this.log.error(
        `the numbers of route ${name} do not add up: ${imbalance} of ${counts.in} messages are unaccounted for`,
        { code: 'MQB_UNBALANCED', counts },
      )
    if (abandoned > 0)
      this.log.warn(`${abandoned} messages had no answer when route ${name} ended; they come again`, {
        code: 'MQB_ABANDONED',
        count: abandoned,
      })
    if (outcome === 'failed')
      this.log.error(`route ${name} failed: ${error?.message}`, { code: error?.code, counts })
    else this.log.info(`route ${name} ${outcome}`, { code: 'MQB_ROUTE_ENDED', counts })
  }
}
