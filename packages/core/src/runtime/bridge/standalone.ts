import { setMaxListeners } from 'node:events'
import { walkPlans } from '../../config/plan/plan-node.ts'
import type { Consumer } from '../../contract/consumer.ts'
import type { Publisher } from '../../contract/publisher.ts'
import { closedError } from '../../errors/closed.ts'
import type { MqbError } from '../../errors/mqb-error.ts'
import type { EndpointPlan } from '../../plan/plan.ts'
import { Accounting, type RouteCounts } from '../accounting.ts'
import type { RuntimeContext } from '../context.ts'
import { CounterSet } from '../counters.ts'
import { openConsumerChain, openPublisherChain } from '../open-endpoint.ts'
import { RouteOpening } from '../opening.ts'
import { startTimeout } from '../route/run-errors.ts'
import { closeWithin } from '../shell/close-within.ts'
import { Supervisor } from '../shell/supervisor.ts'

/** How long an end that is used without a route may take to be ready before a call fails. */
const readyMs = 5000
const capMs = 5000
const batchSize = 256

/** One endpoint with its middlewares, open without a route. */
export class Standalone<T extends Consumer | Publisher> {
  private readonly plan: EndpointPlan
  private readonly context: RuntimeContext
  private readonly accounting = new Accounting()
  private readonly counters = new CounterSet()
  private readonly signal = new AbortController()
  private readonly supervisor: Supervisor
  private readonly name: string
  private readonly build: (opening: RouteOpening) => Promise<T>
  private chain: Promise<T> | undefined
  private built: T | undefined
  private fatal: MqbError | undefined
  private over: Promise<void> | undefined
  private fail: (error: MqbError) => void = () => {}
  private readonly failed: Promise<MqbError>

  private constructor(
    name: string,
    plan: EndpointPlan,
    context: RuntimeContext,
    build: (opening: RouteOpening) => Promise<T>,
  ) {
    this.name = name
    this.plan = plan
    this.context = context
    this.build = build
    setMaxListeners(0, this.signal.signal)
    this.failed = new Promise(resolve => {
      this.fail = resolve
    })
    this.supervisor = new Supervisor({
      changed() {},
      troubled() {},
      ended: error => {
        this.fatal = error
        this.fail(error)
      },
    })
  }

  static input(name: string, plan: EndpointPlan<'input'>, context: RuntimeContext): Standalone<Consumer> {
    return new Standalone<Consumer>(name, plan, context, opening => openConsumerChain(plan, opening))
  }

  static output(name: string, plan: EndpointPlan<'output'>, context: RuntimeContext): Standalone<Publisher> {
    return new Standalone<Publisher>(name, plan, context, opening => openPublisherChain(plan, opening))
  }

  get isClosed(): boolean {
    return this.over !== undefined
  }

  /** The chain if it was ever opened. */
  get current(): T | undefined {
    return this.built
  }

  get counts(): RouteCounts {
    return this.accounting.snapshot()
  }

  /**
   * Opens it at the first call, and waits until it is connected.
   *
   * @throws {MqbError} `MQB_CLOSED`, `MQB_START_TIMEOUT` after 5 s, or why it can never be opened.
   */
  async ready(): Promise<T> {
    if (this.over !== undefined) throw closedError()
    this.chain ??= this.build(this.opening())
    let chain: T
    try {
      chain = await this.chain
    } catch (thrown) {
      // The next call builds it anew.
      this.chain = undefined
      await this.supervisor.closeAll()
      throw thrown
    }
    this.built = chain
    if (!this.supervisor.allReady) await this.connected()
    if (this.fatal !== undefined) throw this.fatal
    return chain
  }

  /** Ends within 5 s; twice is once. */
  close(): Promise<void> {
    this.over ??= this.closeNow()
    return this.over
  }

  private async closeNow(): Promise<void> {
    const { clock, log } = this.context
    this.signal.abort(closedError())
    const chain = await this.chain?.catch(() => undefined)
    if (chain !== undefined)
      await closeWithin({ what: this.plan.target, clock, log, close: () => chain.close() })
    await this.supervisor.closeAll()
  }

  private async connected(): Promise<void> {
    let cancel = (): void => {}
    const timeout = new Promise<'timeout'>(resolve => {
      cancel = this.context.clock.timer(readyMs, () => resolve('timeout'))
    })
    // The clock's timers keep no process alive, and somebody waits for this one.
    const keepAlive = setInterval(() => {}, 2 ** 30)
    const first = await Promise.race([this.supervisor.whenAllReady(), this.failed, timeout])
    clearInterval(keepAlive)
    cancel()
    const lost = this.supervisor.notReady
    if (first === 'timeout') throw startTimeout(lost?.path ?? this.plan.path, readyMs, lost?.lastError)
  }

  private opening(): RouteOpening {
    const { clock, log, secrets, random, openStore, drainIdleMs, sourceMetadata } = this.context
    const { accounting, counters, supervisor, plan } = this
    return new RouteOpening(
      {
        route: this.name,
        drain: false,
        drainIdleMs,
        batchSize,
        concurrency: 1,
        sourceMetadata:
          sourceMetadata || [...walkPlans(plan)].some(each => each.leafCapabilities.needsPosition),
        faultInjection: false,
        clock,
        log,
        secrets,
        signal: this.signal.signal,
        counters,
        accounting,
        shells: { supervisor, commitConcurrency: 4096, capMs, random },
        openStore,
      },
      { path: plan.path, side: plan.side, feedsRoute: plan.side === 'input' },
    )
  }
}
