import type { Consumer } from '../../contract/consumer.ts'
import type { Clock, Secrets } from '../../contract/opening.ts'
import type { Publisher } from '../../contract/publisher.ts'
import type { EndpointStatus } from '../../contract/status.ts'
import { toMqbError } from '../../errors/normalize.ts'
import type { EndpointPlan, RoutePlan } from '../../plan/plan.ts'
import type { Accounting } from '../accounting.ts'
import type { CounterSet } from '../counters.ts'
import type { Supervisor } from '../shell/supervisor.ts'
import type { DeliveryGuarantee } from './guarantee.ts'
import type { Health } from './health.ts'
import type { RateMeter } from './rate.ts'
import type { RouteResult, RouteState, RouteStatus } from './route-status.ts'

/** A send without an answer for so long means that something is wrong. */
const stuckSendMs = 60_000

export interface StatusSources {
  readonly plan: RoutePlan
  readonly guarantee: DeliveryGuarantee
  readonly clock: Clock
  readonly secrets: Secrets
  readonly accounting: Accounting
  readonly counters: CounterSet
  readonly supervisor: Supervisor
  readonly health: Health
  readonly rate: RateMeter
  readonly now: () => {
    readonly input: Consumer | undefined
    readonly output: Publisher | undefined
    readonly oldestSendMs: number | undefined
    readonly abandoned: number
    readonly result: RouteResult | undefined
  }
}

/** The state of a route, and why. */
export interface Condition {
  readonly state: RouteState
  readonly reason?: string
}

/** Derives the state of a route from what is known about it, and remembers since when it holds. */
export class StatusView {
  private readonly sources: StatusSources
  condition: Condition = { state: 'starting' }
  private sinceMs: number
  private isStarted = false

  constructor(sources: StatusSources) {
    this.sources = sources
    this.sinceMs = sources.clock.now()
  }

  /** Both ends were open for the first time. */
  started(): void {
    this.isStarted = true
    this.refresh()
  }

  /** Takes note of a change of state when it happens, not when somebody asks. */
  refresh(): void {
    const condition = this.currentCondition()
    if (condition.state !== this.condition.state) this.sinceMs = this.sources.clock.now()
    this.condition = condition
  }

  status(): RouteStatus {
    this.refresh()
    const { plan, guarantee, accounting, counters, supervisor, health, rate, secrets } = this.sources
    const { input, output, abandoned, result } = this.sources.now()
    const { state, reason } = this.condition
    const over = result !== undefined
    const outputStatus = statusOf(plan.output, output, over)
    const pending = reason === sendPending ? { ...outputStatus.details, state: sendPending } : undefined
    const ends = {
      input: statusOf(plan.input, input, over),
      output: pending === undefined ? outputStatus : { ...outputStatus, healthy: false, details: pending },
    }
    const error = this.lastError()
    return {
      name: plan.name,
      state,
      ...(reason === undefined ? {} : { reason: secrets.scrub(reason) }),
      sinceMs: this.sinceMs,
      ...(health.lastSuccessMs === undefined ? {} : { lastSuccessMs: health.lastSuccessMs }),
      healthy: over
        ? result.outcome !== 'failed'
        : state === 'running' && ends.input.healthy && ends.output.healthy,
      ...(result === undefined ? {} : { outcome: result.outcome }),
      ...(error === undefined ? {} : { error: secrets.scrub(error) }),
      guarantee,
      ...ends,
      counts: accounting.snapshot(),
      balanced: accounting.imbalance === 0 && (!over || accounting.inFlight === 0),
      messages: accounting.settled,
      rate: over ? 0 : rate.perSecond,
      average: rate.average,
      failures: health.failedOutcomes,
      reconnects: supervisor.reconnects,
      abandoned,
      counters: counters.toRecord(),
    }
  }

  private currentCondition(): Condition {
    const { clock, supervisor, health } = this.sources
    const { result, oldestSendMs } = this.sources.now()
    if (result !== undefined)
      return withReason(result.outcome, result.outcome === 'failed' ? result.error?.message : undefined)
    const lost = supervisor.notReady
    if (!this.isStarted)
      return withReason('starting', lost?.lastError?.message ?? health.lastFailure?.message)
    if (lost !== undefined) return withReason('reconnecting', lost.lastError?.message)
    if (oldestSendMs !== undefined && clock.monotonic() - oldestSendMs >= stuckSendMs)
      return { state: 'degraded', reason: sendPending }
    if (health.blockedBy !== undefined) return withReason('blocked', health.blockedBy.message)
    if (health.lastBatchDropped) return withReason('degraded', health.lastDrop?.message)
    return { state: 'running' }
  }

  private lastError(): string | undefined {
    const { health } = this.sources
    const { result } = this.sources.now()
    if (result?.outcome === 'failed') return result.error?.message
    if (health.dropped > 0) {
      const some = health.dropped === 1 ? '1 message was dropped' : `${health.dropped} messages were dropped`
      return `${some}, the last one because: ${health.lastDrop?.message}`
    }
    if (result !== undefined) return undefined
    return health.blockedBy?.message ?? this.sources.supervisor.notReady?.lastError?.message
  }
}

/** The reason of a route whose output does not answer. */
export const sendPending = 'send pending'

function withReason(state: RouteState, reason: string | undefined): Condition {
  return reason === undefined ? { state } : { state, reason }
}

function statusOf(plan: EndpointPlan, end: Consumer | Publisher | undefined, over: boolean): EndpointStatus {
  if (end === undefined) return { healthy: false, target: plan.target }
  try {
    const status = end.status()
    // A closed end is not at fault.
    return over ? { ...status, healthy: status.error === undefined } : status
  } catch (thrown) {
    return { healthy: false, target: plan.target, error: toMqbError(thrown, 'connection').message }
  }
}
