import type { Environment } from '../../config/plan/context.ts'
import { isEndpointPlan, secretsOf } from '../../config/plan/plan-node.ts'
import { planEndpoint, planRoute, routeSecrets } from '../../config/plan/route.ts'
import type { Side } from '../../contract/capabilities.ts'
import type { Logger } from '../../contract/logger.ts'
import type { Clock, Secrets } from '../../contract/opening.ts'
import type { Plugin } from '../../contract/plugin.ts'
import type { MqbError } from '../../errors/mqb-error.ts'
import { toMqbError } from '../../errors/normalize.ts'
import { createLogger } from '../../observe/logger.ts'
import { createSecrets } from '../../observe/secrets.ts'
import type { EndpointPlan, RoutePlan } from '../../plan/plan.ts'
import type { EndpointConfig, RouteConfig } from '../../plan/route-config.ts'
import { createRegistry, type KnownPart, type Registry } from '../../registry/index.ts'
import type { RuntimeContext } from '../context.ts'
import type { RouteResult, RouteStatus } from '../route/route-status.ts'
import { systemClock } from '../system-clock.ts'
import { BridgeConsumer } from './bridge-consumer.ts'
import { BridgePublisher } from './bridge-publisher.ts'
import { BridgeRoute, nameTaken, type RouteOwner, type StopOptions } from './bridge-route.ts'
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
  route(name: string, config: RouteConfig | RoutePlan): BridgeRoute
  /** Adds routes that were validated together. */
  load(routes: Iterable<RoutePlan>): readonly BridgeRoute[]
  /**
   * A route that is not known by its name, for those who keep hold of it themselves. It is stopped with the others.
   *
   * @throws {ConfigError} with every problem that was found.
   */
  detached(name: string, config: RouteConfig | RoutePlan): BridgeRoute
  /**
   * Makes a detached route known by its name. A route of that name that does not run gives way.
   *
   * @throws {MqbError} `MQB_ROUTE_NAME_TAKEN`: it runs.
   */
  attach(route: BridgeRoute): void
  /**
   * An output that is used without a route.
   *
   * @param config as in a configuration, or a plan.
   * @throws {ConfigError} with every problem that was found.
   */
  publisher(config: EndpointConfig | EndpointPlan<'output'> | null): BridgePublisher
  /** An input that is used without a route. */
  consumer(config: EndpointConfig | EndpointPlan<'input'>): BridgeConsumer
  /** Makes something out of an endpoint that lives outside of routes; its secrets are known from then on. */
  useEndpoint<T>(plan: EndpointPlan, make: (context: RuntimeContext) => T): T
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
  const owner: RouteOwner = { running: new Set(), isShutDown: () => shutdown }

  function planOf(name: string, config: unknown): RoutePlan {
    return isRoutePlan(config) ? { ...config, name } : planRoute(config, name, registry, { env })
  }

  function create(plan: RoutePlan): BridgeRoute {
    for (const value of routeSecrets(plan)) secrets.add(value)
    return new BridgeRoute(plan, context, owner)
  }

  function add(plan: RoutePlan): BridgeRoute {
    if (routes.has(plan.name)) throw nameTaken(plan.name)
    const route = create(plan)
    routes.set(plan.name, route)
    return route
  }

  function endPlan<S extends Side>(config: unknown, side: S): EndpointPlan<S> {
    return isEndpointPlan(config)
      ? (config as EndpointPlan<S>)
      : planEndpoint(config, side, registry, { env })
  }

  function useEndpoint<T>(plan: EndpointPlan, make: (context: RuntimeContext) => T): T {
    for (const value of secretsOf(plan)) secrets.add(value)
    return make(context)
  }

  async function stop(stopOptions: StopOptions = {}): Promise<ReadonlyMap<string, RouteResult>> {
    const results = new Map<string, RouteResult>()
    await Promise.all(
      [...new Set([...routes.values(), ...owner.running])].map(async route => {
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
    route: (name, config) => add(planOf(name, config)),
    detached: (name, config) => create(planOf(name, config)),
    attach(route) {
      const other = routes.get(route.name)
      if (other === route) return
      if (other?.isRunning === true) throw nameTaken(route.name)
      routes.set(route.name, route)
    },
    publisher(config) {
      const plan = endPlan(config, 'output')
      return useEndpoint(plan, () => new BridgePublisher(plan.path, plan, context))
    },
    consumer(config) {
      const plan = endPlan(config, 'input')
      return useEndpoint(plan, () => new BridgeConsumer(plan.path, plan, context))
    },
    useEndpoint,
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

/** Whether a value is a validated route. */
export function isRoutePlan(config: unknown): config is RoutePlan {
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
