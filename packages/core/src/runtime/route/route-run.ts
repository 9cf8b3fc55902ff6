import { setMaxListeners } from 'node:events'
import { prepareRoute } from '../../config/plan/prepare.ts'
import { assertUsable } from '../../config/problems.ts'
import type { Consumer } from '../../contract/consumer.ts'
import type { Logger } from '../../contract/logger.ts'
import type { Publisher } from '../../contract/publisher.ts'
import { MqbError } from '../../errors/mqb-error.ts'
import { toMqbError } from '../../errors/normalize.ts'
import type { RoutePlan } from '../../plan/plan.ts'
import { Accounting } from '../accounting.ts'
import { Backoff } from '../backoff.ts'
import type { RuntimeContext } from '../context.ts'
import { CounterSet } from '../counters.ts'
import { closeWithin } from '../shell/close-within.ts'
import { Supervisor } from '../shell/supervisor.ts'
import { DeliveryLimit } from './delivery-limit.ts'
import { DropLog } from './drop-log.ts'
import { Flow } from './flow.ts'
import { deliveryGuarantee } from './guarantee.ts'
import type { Handler } from './handler.ts'
import { Health } from './health.ts'
import { openEnds } from './open-ends.ts'
import { PullLoop } from './pull-loop.ts'
import { RateMeter, sampleMs } from './rate.ts'
import type { RouteOutcome, RouteResult, RouteStatus } from './route-status.ts'
import { inFlightBytes, type RunOptions } from './run-options.ts'
import { StatusView } from './status-view.ts'
import { StopDeadline } from './stop-deadline.ts'
import { Wake } from './wake.ts'

/** How long a stop waits for sends that are in flight, unless it says otherwise. */
export const stopDeadlineMs = 5000
/** How long a stop waits for the commits of batches that have their answers. */
const commitGraceMs = 1000
/** A drain that only fails ends after so long without an ack. */
const drainStallMs = 30_000

export interface RouteRunOptions {
  readonly plan: RoutePlan
  readonly context: RuntimeContext
  readonly handler?: Handler | undefined
  readonly run?: RunOptions
}

interface Ending {
  readonly outcome: RouteOutcome
  readonly error?: MqbError
}

/** One run of a route, from opening its ends to closing them. */
export class RouteRun {
  private readonly plan: RoutePlan
  private readonly context: RuntimeContext
  private readonly run: RunOptions
  private readonly drain: boolean
  private readonly handler: Handler | undefined
  private readonly log: Logger
  private readonly startedMs: number
  private readonly accounting = new Accounting()
  private readonly counters = new CounterSet()
  private readonly supervisor: Supervisor
  private readonly health: Health
  private readonly drops: DropLog
  private readonly rate: RateMeter
  private readonly view: StatusView
  private readonly wake = new Wake()
  private readonly receiving = sharedSignal()
  private readonly sending = sharedSignal()
  private readonly opening = sharedSignal()
  private readonly deadline: StopDeadline
  private input: Consumer | undefined
  private output: Publisher | undefined
  private flow: Flow | undefined
  private ending: Ending | undefined
  private abandoned = 0
  private result: RouteResult | undefined
  private running: Promise<RouteResult> | undefined
  private cancelTick: (() => void) | undefined
  private readonly ready: Promise<void>
  private becomeReady: () => void = () => {}

  constructor({ plan, context, handler, run = {} }: RouteRunOptions) {
    const { clock } = context
    this.plan = plan
    this.context = context
    this.handler = handler
    this.run = run
    this.drain = (run.drain ?? plan.options.exit_on_empty) || run.waitMs !== undefined
    this.log = context.log.child('core.route', { route: plan.name })
    this.startedMs = clock.monotonic()
    this.drops = new DropLog(plan.name, this.log, clock)
    this.health = new Health(clock, this.drops)
    this.rate = new RateMeter(this.startedMs)
    this.deadline = new StopDeadline(clock)
    this.supervisor = new Supervisor({
      changed: () => {
        this.wake.notify()
        this.view.refresh()
      },
      troubled: error => this.troubled(error),
      ended: error => this.end({ outcome: 'failed', error }),
    })
    this.view = new StatusView({
      plan,
      guarantee: deliveryGuarantee(plan),
      clock,
      secrets: context.secrets,
      accounting: this.accounting,
      counters: this.counters,
      supervisor: this.supervisor,
      health: this.health,
      rate: this.rate,
      now: () => ({
        input: this.input,
        output: this.output,
        oldestSendMs: this.flow?.oldestSendMs,
        abandoned: this.abandoned,
        result: this.result,
      }),
    })
    this.ready = new Promise(resolve => {
      this.becomeReady = resolve
    })
  }

  /**
   * Opens both ends and begins to move messages. Resolves when both are open.
   *
   * @throws {MqbError} the route can never start (`config`, `permanent`), or `MQB_START_TIMEOUT`: it was not ready
   *   within `startup_timeout_ms`, stays `starting` and goes on trying.
   */
  async start(): Promise<void> {
    this.running ??= this.main()
    const limitMs = this.plan.options.startup_timeout_ms
    let cancel = (): void => {}
    const timeout = new Promise<'timeout'>(resolve => {
      cancel = this.context.clock.timer(limitMs, () => resolve('timeout'))
    })
    const first = await Promise.race([this.ready, this.running, timeout])
    cancel()
    if (first === undefined) return
    if (first === 'timeout') throw this.startTimeout(limitMs)
    if (first.outcome === 'failed') throw first.error
  }

  /** Resolves when the run has ended, whatever the outcome. */
  join(): Promise<RouteResult> {
    this.running ??= this.main()
    return this.running
  }

  /**
   * Receives no more, lets what is in flight end within the deadline, commits, closes. A second call can only bring
   * the deadline forward.
   */
  stop({ deadlineMs = stopDeadlineMs }: { deadlineMs?: number } = {}): Promise<RouteResult> {
    this.deadline.within(deadlineMs)
    this.end({ outcome: 'stopped' })
    return this.join()
  }

  status(): RouteStatus {
    return this.view.status()
  }

  private async main(): Promise<RouteResult> {
    // The clock's timers keep no process alive, but a route that only waits for one is still at work.
    const keepAlive = setInterval(() => {}, 2 ** 30)
    this.tick()
    try {
      if (this.ending === undefined) await this.work()
      this.end({ outcome: 'completed' })
    } catch (thrown) {
      this.end({ outcome: 'failed', error: toMqbError(thrown, 'connection', this.plan.name) })
    }
    await this.shutDown()
    clearInterval(keepAlive)
    return this.conclude()
  }

  private async work(): Promise<void> {
    const { plan, context } = this
    const problems = await prepareRoute(plan, { drain: this.drain })
    assertUsable(problems)
    this.announce([...plan.warnings, ...problems].filter(problem => problem.severity === 'warning'))
    const opened = await openEnds({
      plan,
      context,
      drain: this.drain,
      supervisor: this.supervisor,
      accounting: this.accounting,
      counters: this.counters,
      signal: this.opening.signal,
      over: this.receiving.signal,
      troubled: error => this.troubled(error),
    })
    this.input = opened.input
    this.output = opened.output
    if (this.receiving.signal.aborted || opened.input === undefined || opened.output === undefined) return
    this.log.info(`route ${plan.name} is ready`, { code: 'MQB_ROUTE_READY' })
    const flow = this.createFlow(opened.output)
    this.flow = flow
    this.becomeReady()
    this.view.started()
    await this.createLoop(opened.input, flow).run()
  }

  private createFlow(output: Publisher): Flow {
    const { plan, run, handler, context } = this
    return new Flow({
      path: plan.name,
      output,
      ordered: plan.output.capabilities.orderedPublish !== 'no',
      handler,
      limit:
        run.limit === undefined
          ? undefined
          : new DeliveryLimit(run.limit, () => this.end({ outcome: 'completed' })),
      concurrency: plan.options.concurrency,
      commitConcurrency: plan.options.commit_concurrency_limit,
      maxBytes: inFlightBytes,
      clock: context.clock,
      deadline: this.sending.signal,
      hooks: {
        answered: (messages, outcomes) => {
          const failed = this.health.answered(messages, outcomes)
          if (failed !== undefined) this.failedFast(failed)
        },
        commitFailed: error => this.troubled(error),
        changed: () => this.wake.notify(),
      },
    })
  }

  private createLoop(input: Consumer, flow: Flow): PullLoop {
    const { plan, run, context } = this
    return new PullLoop({
      path: plan.input.path,
      input,
      flow,
      supervisor: this.supervisor,
      accounting: this.accounting,
      clock: context.clock,
      backoff: new Backoff({ capMs: plan.options.reconnect_interval_ms, random: context.random }),
      wake: this.wake,
      stopSignal: this.receiving.signal,
      batchSize: plan.options.batch_size,
      emptyBatchDelayMs: plan.options.empty_batch_delay_ms,
      drain: this.drain,
      waitMs: run.waitMs ?? 0,
      flush: () => this.flush(),
      troubled: error => this.troubled(error),
    })
  }

  private announce(warnings: RoutePlan['warnings']): void {
    const { level, because } = deliveryGuarantee(this.plan)
    const { input, output } = this.plan
    this.log.info(`route ${this.plan.name}: ${input.target} → ${output.target}, ${level}: ${because}`, {
      code: 'MQB_ROUTE_STARTING',
      source: input.kind,
      sink: output.kind,
      guarantee: level,
    })
    for (const { code, where, what, mend } of warnings)
      this.log.warn(mend === '' ? `${where}: ${what}` : `${where}: ${what}; ${mend}`, { code })
  }

  /** The first word counts; it ends receiving at once. */
  private end(ending: Ending): void {
    if (this.ending !== undefined) return
    this.ending = ending
    this.supervisor.isEnding = true
    this.receiving.abort(
      new MqbError({ kind: 'connection', code: 'MQB_ROUTE_ENDING', what: 'the route ends' }),
    )
    this.wake.notify()
  }

  private async shutDown(): Promise<void> {
    const { clock, log } = this.context
    this.deadline.within(stopDeadlineMs)
    const { flow } = this
    if (flow !== undefined && !flow.isIdle) {
      this.flush()
      await Promise.race([flow.whenDone('sends'), this.deadline.passed])
      this.abandoned = flow.abandonSends()
      this.sending.abort(
        new MqbError({
          kind: 'retryable',
          code: 'MQB_DEADLINE',
          what: 'the deadline of the stop has passed',
        }),
      )
      await this.commitsDone(flow)
    }
    this.deadline.cancel()
    this.opening.abort(new MqbError({ kind: 'connection', code: 'MQB_ROUTE_ENDING', what: 'the route ends' }))
    const { input, output } = this
    if (input !== undefined)
      await closeWithin({ what: this.plan.input.target, clock, log, close: () => input.close() })
    if (output !== undefined)
      await closeWithin({ what: this.plan.output.target, clock, log, close: () => output.close() })
    await this.supervisor.closeAll()
  }

  private async commitsDone(flow: Flow): Promise<void> {
    if (flow.isIdle) return
    // Behind an abandoned batch of an ordered input no commit can be applied, so nothing is gained by waiting.
    if (this.abandoned > 0 && this.supervisor.stuckCommits >= flow.outstandingCommits) return
    let cancel = (): void => {}
    const grace = new Promise<void>(resolve => {
      cancel = this.context.clock.timer(commitGraceMs, resolve)
    })
    await Promise.race([flow.whenDone('all'), grace])
    cancel()
  }

  private conclude(): RouteResult {
    this.cancelTick?.()
    this.drops.flush()
    this.rate.sample(this.accounting.settled, this.context.clock.monotonic())
    const ending = this.ending!
    const error = ending.error ?? this.health.lastDrop
    const result: RouteResult = {
      outcome: ending.outcome,
      ...(error === undefined ? {} : { error }),
      counts: this.accounting.snapshot(),
      abandoned: this.abandoned,
      elapsedMs: this.context.clock.monotonic() - this.startedMs,
    }
    this.result = result
    this.view.refresh()
    this.logEnd(result)
    return result
  }

  private logEnd({ outcome, error, counts, abandoned }: RouteResult): void {
    const { imbalance } = this.accounting
    if (imbalance !== 0 || counts.inFlight !== 0)
      this.log.error(
        `the numbers of route ${this.plan.name} do not add up: ${imbalance} of ${counts.in} messages are unaccounted for`,
        { code: 'MQB_UNBALANCED', counts },
      )
    if (abandoned > 0)
      this.log.warn(
        `${abandoned} messages had no answer when route ${this.plan.name} ended; they come again`,
        {
          code: 'MQB_ABANDONED',
          count: abandoned,
        },
      )
    if (outcome === 'failed')
      this.log.error(`route ${this.plan.name} failed: ${error?.message}`, { code: error?.code, counts })
    else this.log.info(`route ${this.plan.name} ${outcome}`, { code: 'MQB_ROUTE_ENDED', counts })
  }

  private troubled(error: MqbError): void {
    this.health.failed(error)
    this.failedFast(error)
    this.view.refresh()
  }

  private failedFast(error: MqbError): void {
    if (this.drain && this.run.failFast === true && this.health.lastSuccessMs === undefined)
      this.end({ outcome: 'failed', error })
  }

  private flush(): void {
    this.output?.flush().catch((thrown: unknown) => {
      this.log.warn(`the output failed to flush: ${toMqbError(thrown, 'retryable').message}`, {
        code: 'MQB_FLUSH_FAILED',
      })
    })
  }

  private tick(): void {
    const { clock } = this.context
    const now = clock.monotonic()
    this.rate.sample(this.accounting.settled, now)
    this.view.refresh()
    if (this.drain && this.health.failures > 0 && now - this.health.lastAckMs >= drainStallMs)
      this.endStalled()
    this.cancelTick = clock.timer(sampleMs, () => this.tick())
  }

  private endStalled(): void {
    const { lastFailure } = this.health
    const { settled } = this.accounting
    const error = new MqbError({
      kind: lastFailure?.kind ?? 'connection',
      code: 'MQB_DRAIN_STALLED',
      where: this.plan.name,
      what: `nothing was acknowledged for ${drainStallMs / 1000} s, after ${settled} messages: ${lastFailure?.message}`,
      mend: 'mend the cause and start again; what was not delivered is still with the source',
      cause: lastFailure,
    })
    this.end({ outcome: 'failed', error })
  }

  private startTimeout(limitMs: number): MqbError {
    const notReady = this.supervisor.notReady
    const cause = notReady?.lastError ?? this.health.lastFailure
    return new MqbError({
      kind: 'connection',
      code: 'MQB_START_TIMEOUT',
      where: notReady?.path ?? this.plan.name,
      what: `not ready within ${limitMs} ms${cause === undefined ? '' : `: ${cause.what}`}`,
      mend: cause?.mend ?? 'the route goes on trying; raise startup_timeout_ms where this is normal',
      ...(cause === undefined ? {} : { cause }),
    })
  }
}

/** Every component of a route may listen to its signals, so many listeners are no leak. */
function sharedSignal(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}
