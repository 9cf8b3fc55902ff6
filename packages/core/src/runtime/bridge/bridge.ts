import type { Environment } from '../../config/plan/context.ts'
import { planRoute, routeSecrets } from '../../config/plan/route.ts'
import type { Logger } from '../../contract/logger.ts'
import type { Clock, Secrets } from '../../contract/opening.ts'
import type { Plugin } from '../../contract/plugin.ts'
import type { MqbError } from '../../errors/mqb-error.ts'
import { toMqbError } from '../../errors/normalize.ts'
import { createLogger } from '../../observe/logger.ts'
import { createSecrets } from '../../observe/secrets.ts'
import type { RoutePlan } from '../../plan/plan.ts'
import { createRegistry, type KnownPart, type Registry } from '../../registry/index.ts'
import type { RuntimeContext } from '../context.ts'
import type { RouteResult, RouteStatus } from '../route/route-status.ts'
import { systemClock } from '../system-clock.ts'
import { BridgeRoute, nameTaken, type StopOptions } from './bridge-route.ts'
import { storeOpener } from './open-store.ts'

export interface BridgeOptions {
  readonly plugins?: readonly Plugin[]
  /** Parts that exist somewhere, for errors that say which package to install. */
  readonly known?: readonly KnownPart[]
  /** Instead of `plugins` and `known`: a registry that was made before. */
  readonly registry?: Registry
  /** Default: lines of level `warn` and above on stderr. */
  readonly log?: Logger
  readonly clock?: Clock
  readonly secrets?: Secrets
  /** Default: the environment of the process. */
  readonly env?: Environment
  /** From 0 to below 1; the jitter of pauses. */
  readonly random?: () => number
}

/** A route that did not become ready; it may go on trying. */
export interface StartFailure {
  readonly name: string
  readonly error: MqbError
}

export interface StartReport {
  /** Names of the routes that move messages, or are done already. */
  readonly started: readonly string[]
  readonly failed: readonly StartFailure[]
}

/**
 * Owns routes and everything they share: the parts that are known by name, secrets, log, clock and shutdown.
 *
 * Bridges share nothing with one another.
 */
export interface Bridge extends AsyncDisposable {
  readonly registry: Registry
  readonly log: Logger
  readonly clock: Clock
  readonly secrets: Secrets
  /**
   * Adds a route. Everything about it is checked, nothing is opened.
   *
   * @param config as in a configuration file, `{ input, output, ...options }`, or a plan.
   * @throws {ConfigError} with every problem that was found.
   * @throws {MqbError} `MQB_ROUTE_NAME_TAKEN`.
   */
  route(name: string, config: unknown): BridgeRoute
  /** Adds routes that were validated together. */
  load(routes: Iterable<RoutePlan>): readonly BridgeRoute[]
  /** Forgets a route that does not run. Resolves to whether there was one; stops it first if it runs. */
  remove(name: string, options?: StopOptions): Promise<boolean>
  get(name: string): BridgeRoute | undefined
  /** In the order in which they were added. */
  routes(): readonly BridgeRoute[]
  /** Starts all routes that are enabled and do not run, side by side. Never throws because of a route. */
  start(): Promise<StartReport>
  /** Stops all routes side by side, with one deadline for all. A second call can only shorten it. */
  stop(options?: StopOptions): Promise<ReadonlyMap<string, RouteResult>>
  /** Stops all routes, also those that are started later. True the first time; it cannot be undone. */
  requestShutdown(options?: StopOptions): boolean
  readonly isShutdownRequested: boolean
  status(): readonly RouteStatus[]
}

export function createBridge(options: BridgeOptions = {}): Bridge {
  const { plugins = [], known = [], env = process.env, clock = systemClock, random = Math.random } = options
  const registry = options.registry ?? createRegistry({ plugins, known })
  const secrets = options.secrets ?? createSecrets()
  const log = options.log ?? defaultLog(secrets)
  const context: RuntimeContext = {
    clock,
    log,
    secrets,
    random,
    openStore: storeOpener(registry),
    drainIdleMs: numberFrom(env.MQ_BRIDGE_DRAIN_IDLE_TIMEOUT_MS, 1000),
    sourceMetadata: ['1', 'true'].includes(env.MQB_SOURCE_METADATA ?? ''),
  }
  const routes = new Map<string, BridgeRoute>()
  let shutdown = false

  function add(plan: RoutePlan): BridgeRoute {
    if (routes.has(plan.name)) throw nameTaken(plan.name)
    for (const value of routeSecrets(plan)) secrets.add(value)
    const route = new BridgeRoute(plan, context, () => shutdown)
    routes.set(plan.name, route)
    return route
  }

  async function stop(stopOptions: StopOptions = {}): Promise<ReadonlyMap<string, RouteResult>> {
    const results = new Map<string, RouteResult>()
    await Promise.all(
      [...routes.values()].map(async route => {
        const result = await route.stop(stopOptions)
        if (result !== undefined) results.set(route.name, result)
      }),
    )
    return results
  }

  const bridge: Bridge = {
    registry,
    log,
    clock,
    secrets,
    route: (name, config) =>
      add(isPlan(config) ? { ...config, name } : planRoute(config, name, registry, { env })),
    load(plans) {
      const list = [...plans]
      const taken = list.find(plan => routes.has(plan.name))
      if (taken !== undefined) throw nameTaken(taken.name)
      return list.map(add)
    },
    async remove(name, stopOptions) {
      await routes.get(name)?.stop(stopOptions)
      return routes.delete(name)
    },
    get: name => routes.get(name),
    routes: () => [...routes.values()],
    async start() {
      const started: string[] = []
      const failed: StartFailure[] = []
      await Promise.all(
        [...routes.values()]
          .filter(route => route.plan.options.enabled && !route.isRunning)
          .map(async route => {
            try {
              await route.start()
              started.push(route.name)
            } catch (thrown) {
              failed.push({ name: route.name, error: toMqbError(thrown, 'connection', route.name) })
            }
          }),
      )
      return { started, failed }
    },
    stop,
    requestShutdown(stopOptions) {
      const first = !shutdown
      shutdown = true
      void stop(stopOptions)
      return first
    },
    get isShutdownRequested() {
      return shutdown
    },
    status: () => [...routes.values()].map(route => route.status()),
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
  return bridge
}

function isPlan(config: unknown): config is RoutePlan {
  if (typeof config !== 'object' || config === null) return false
  const { input, output } = config as Partial<RoutePlan>
  return typeof input?.open === 'function' && typeof output?.open === 'function'
}

function defaultLog(secrets: Secrets): Logger {
  return createLogger({ sink: line => process.stderr.write(`${line}\n`), level: 'warn', secrets })
}

function numberFrom(text: string | undefined, fallback: number): number {
  const value = Number(text)
  return text === undefined || text === '' || !Number.isFinite(value) || value < 0 ? fallback : value
}
