import { setMaxListeners } from 'node:events'
import { prepareRoute } from '../../config/plan/prepare.ts'
import { assertUsable } from '../../config/problems.ts'
import type { Consumer } from '../../contract/consumer.ts'
import type { Publisher } from '../../contract/publisher.ts'
import type { MqbError } from '../../errors/mqb-error.ts'
import { toMqbError } from '../../errors/normalize.ts'
import type { RoutePlan } from '../../plan/plan.ts'
import { Accounting } from '../accounting.ts'
import { Backoff } from '../backoff.ts'
import type { RuntimeContext } from '../context.ts'
import { CounterSet } from '../counters.ts'
import { Supervisor } from '../shell/supervisor.ts'
import { DeliveryLimit } from './delivery-limit.ts'
import { DrainStall, drainStallMs } from './drain-stall.ts'
import { DropLog } from './drop-log.ts'
import { Flow } from './flow.ts'
import { deliveryGuarantee } from './guarantee.ts'
import type { Handler } from './handler.ts'
import { Health } from './health.ts'
import { openEnds } from './open-ends.ts'
import { PullLoop } from './pull-loop.ts'
import { RateMeter, sampleMs } from './rate.ts'
import type { RouteOutcome, RouteResult, RouteStatus } from './route-status.ts'
import { drainStalled, routeEnding, startTimeout } from './run-errors.ts'
import { RunLog } from './run-log.ts'
import { inFlightBytes, type RunOptions } from './run-options.ts'
import { closeEnds, finishFlow } from './shut-down.ts'
import { StatusView } from './status-view.ts'
import { StopDeadline } from './stop-deadline.ts'
import { Wake } from './wake.ts'

/** How long a stop waits for sends that are in flight, unless it says otherwise. */
export const stopDeadlineMs = 5000

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
  private readonly log: RunLog
  private readonly startedMs: number
  private readonly accounting = new Accounting()
  private readonly counters = new CounterSet()
  private readonly supervisor: Supervisor
  private readonly health: Health
  private readonly drops: DropLog
  private readonly rate: RateMeter
  private readonly stall: DrainStall
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
    const log = context.log.child('core.route', { route: plan.name })
    this.log = new RunLog(plan, log)
    this.startedMs = clock.monotonic()
    this.drops = new DropLog(plan.name, log, clock)
    this.health = new Health(clock, this.drops)
    this.rate = new RateMeter(this.startedMs)
    this.stall = new DrainStall(this.startedMs)
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
    if (first === 'timeout') {
      const lost = this.supervisor.notReady
      throw startTimeout(lost?.path ?? this.plan.name, limitMs, lost?.lastError ?? this.health.lastFailure)
    }
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
    this.log.starting([...plan.warnings, ...problems].filter(problem => problem.severity === 'warning'))
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
      built: ({ input, output }) => {
        this.input = input
        this.output = output
      },
    })
    if (opened === undefined) return
    this.log.ready()
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

  /** The first word counts; it ends receiving at once. */
  private end(ending: Ending): void {
    if (this.ending !== undefined) return
    this.ending = ending
    this.supervisor.isEnding = true
    this.receiving.abort(routeEnding())
    this.wake.notify()
  }

  private async shutDown(): Promise<void> {
    const { plan, flow, deadline, sending, supervisor, context } = this
    deadline.within(stopDeadlineMs)
    if (flow !== undefined && !flow.isIdle) {
      this.flush()
      this.abandoned = await finishFlow({ flow, deadline, sending, supervisor, context })
    }
    deadline.cancel()
    this.opening.abort(routeEnding())
    await closeEnds({ plan, input: this.input, output: this.output, supervisor, context })
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
    this.log.ended(result, this.accounting.imbalance)
    return result
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
      this.log.flushFailed(toMqbError(thrown, 'retryable').message)
    })
  }

  private tick(): void {
    const { clock } = this.context
    const now = clock.monotonic()
    this.rate.sample(this.accounting.settled, now)
    this.view.refresh()
    this.log.condition(this.view.condition, now)
    const { settled } = this.accounting
    if (this.drain && this.stall.isOver(settled, this.health.failures, now)) {
      const error = drainStalled(this.plan.name, drainStallMs, settled, this.health.lastFailure)
      this.end({ outcome: 'failed', error })
    }
    this.cancelTick = clock.timer(sampleMs, () => this.tick())
  }
}

/** Every component of a route may listen to its signals, so many listeners are no leak. */
function sharedSignal(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}
