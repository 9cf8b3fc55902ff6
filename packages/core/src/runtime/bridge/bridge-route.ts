import { routeOptionsSchema } from '../../config/route-options.ts'
import { MqbError } from '../../errors/mqb-error.ts'
import type { RouteOptions, RoutePlan } from '../../plan/plan.ts'
import type { RuntimeContext } from '../context.ts'
import type { Handler } from '../route/handler.ts'
import { RouteRun } from '../route/route-run.ts'
import type { RouteResult, RouteStatus } from '../route/route-status.ts'
import type { RunOptions } from '../route/run-options.ts'
import { type TypedHandler, TypeHandler } from '../route/type-handler.ts'

/** Options of the configuration and of the run, in one object. */
export type BridgeRouteOptions = Partial<RouteOptions> & RunOptions

export interface StopOptions {
  /** How long sends in flight may still take; default 5000. 0 abandons them at once. */
  readonly deadlineMs?: number
}

/** What a route tells its bridge, and asks it. */
export interface RouteOwner {
  /** Routes between their start and the end of their run, known by name or not. */
  readonly running: Set<BridgeRoute>
  readonly isShutDown: () => boolean
}

const runKeys = ['drain', 'waitMs', 'limit', 'failFast'] as const

/**
 * A route of a bridge. It can be started again after it has ended. Handlers and options are set while it does not run;
 * setting them while it runs is a `TypeError`.
 */
export class BridgeRoute {
  readonly name: string
  private readonly context: RuntimeContext
  private readonly owner: RouteOwner
  private current: RoutePlan
  private runOptions: RunOptions = {}
  private handler: Handler | undefined
  private typed: TypeHandler | undefined
  private run: RouteRun | undefined
  private isOver = true

  constructor(plan: RoutePlan, context: RuntimeContext, owner: RouteOwner) {
    this.name = plan.name
    this.current = plan
    this.context = context
    this.owner = owner
  }

  /** A route of its own under another name, with the same handlers and options. */
  copyAs(name: string): BridgeRoute {
    const copy = new BridgeRoute({ ...this.current, name }, this.context, this.owner)
    copy.runOptions = this.runOptions
    copy.handler = this.handler
    copy.typed = this.typed
    return copy
  }

  get plan(): RoutePlan {
    return this.current
  }

  /** Between `start` and the end of the run. */
  get isRunning(): boolean {
    return !this.isOver
  }

  /** Called with every message; beside typed handlers it gets the messages whose kind has none. */
  withHandler(handler: Handler): this {
    this.assertIdle('a handler')
    this.handler = handler
    return this
  }

  /** Called with the parsed JSON of messages whose metadata `kind` has this value. */
  addHandler<T = unknown>(kind: string, handler: TypedHandler<T>): this {
    this.assertIdle('a handler')
    this.typed ??= new TypeHandler()
    this.typed.add(kind, handler)
    return this
  }

  /** @throws {TypeError} a value that the option does not allow. */
  withOptions(options: BridgeRouteOptions): this {
    this.assertIdle('an option')
    const run: Record<string, unknown> = {}
    const rest: Record<string, unknown> = { ...options }
    for (const key of runKeys) {
      if (rest[key] !== undefined) run[key] = rest[key]
      delete rest[key]
    }
    const parsed = routeOptionsSchema.safeParse({ ...this.current.options, ...rest })
    if (!parsed.success) {
      const issue = parsed.error.issues[0]
      throw new TypeError(`${issue?.path.join('.')}: ${issue?.message}`)
    }
    checkRunOptions(run)
    this.current = { ...this.current, options: parsed.data }
    this.runOptions = { ...this.runOptions, ...run }
    return this
  }

  /**
   * Opens both ends. Resolves when the route moves messages, or has already ended without failing.
   *
   * @throws {MqbError} it can never start; or `MQB_START_TIMEOUT`: not yet, and it goes on trying until `stop`.
   */
  async start(): Promise<void> {
    if (!this.isOver) throw new TypeError(`route ${this.name} is running`)
    const run = new RouteRun({
      plan: this.current,
      context: this.context,
      handler: this.combinedHandler(),
      run: this.runOptions,
    })
    this.run = run
    this.isOver = false
    this.owner.running.add(this)
    if (this.owner.isShutDown()) void run.stop({ deadlineMs: 0 })
    const started = run.start()
    void run.join().then(() => {
      this.isOver = true
      this.owner.running.delete(this)
    })
    await started
  }

  /** Ends the run in order and resolves to what became of it. A second call can only shorten the deadline. */
  async stop(options: StopOptions = {}): Promise<RouteResult | undefined> {
    return this.run?.stop(options)
  }

  /**
   * Resolves when the run has ended.
   *
   * @throws {MqbError} its outcome is `failed`.
   */
  async join(): Promise<RouteResult> {
    const result = await this.ended()
    if (result.outcome === 'failed') throw result.error
    return result
  }

  /** Like `join`, but a failed run is a result too. */
  ended(): Promise<RouteResult> {
    if (this.run === undefined) return Promise.reject(new TypeError(`route ${this.name} was never started`))
    return this.run.join()
  }

  status(): RouteStatus {
    if (this.run !== undefined) return this.run.status()
    const idle = new RouteRun({ plan: this.current, context: this.context }).status()
    return { ...idle, state: 'stopped', reason: 'not started' }
  }

  private combinedHandler(): Handler | undefined {
    const { typed, handler } = this
    if (typed === undefined) return handler
    if (handler !== undefined) typed.withFallback(handler)
    return message => typed.handle(message)
  }

  private assertIdle(what: string): void {
    if (!this.isOver) throw new TypeError(`${what} of route ${this.name} cannot be set while it runs`)
  }
}

function checkRunOptions({ waitMs, limit }: RunOptions): void {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1))
    throw new TypeError(`limit: expected a whole number from 1 on, got ${limit}`)
  if (waitMs !== undefined && !(waitMs >= 0))
    throw new TypeError(`waitMs: expected a number from 0 on, got ${waitMs}`)
}

/** A name is taken once in a bridge. */
export function nameTaken(name: string): MqbError {
  return new MqbError({
    kind: 'config',
    code: 'MQB_ROUTE_NAME_TAKEN',
    where: name,
    what: `there is a route named ${name} already`,
    mend: 'choose another name, or remove the other route first',
  })
}
