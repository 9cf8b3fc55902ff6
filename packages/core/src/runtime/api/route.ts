import { randomUUID } from 'node:crypto'
import { prepareRoute } from '../../config/plan/prepare.ts'
import type { ConfigProblem, RoutePlan } from '../../plan/plan.ts'
import type { EndpointConfig } from '../../plan/route-config.ts'
import { isRoutePlan } from '../bridge/bridge.ts'
import type { BridgeRoute, BridgeRouteOptions, StopOptions } from '../bridge/bridge-route.ts'
import type { Handler } from '../route/handler.ts'
import type { RouteOutcome, RouteResult, RouteStatus } from '../route/route-status.ts'
import type { TypedHandler } from '../route/type-handler.ts'
import { defaultBridge, documentSetting } from './default-bridge.ts'
import { type DocumentSource, routeFrom, routesFrom } from './document.ts'

/** A route that runs without being known by its name. */
export interface RouteHandle {
  stop(options?: StopOptions): Promise<RouteResult | undefined>
  /** Resolves at the end; rejects when the outcome is `failed`. */
  join(): Promise<RouteResult>
  /** `undefined` while it runs. */
  outcome(): RouteOutcome | undefined
  status(): RouteStatus
}

/**
 * A route of the default bridge, made in code. Nothing is opened before it is started; from then on it is known by its
 * name, which no other running route may have.
 */
export class Route {
  private readonly route: BridgeRoute

  /**
   * @param input as in a configuration: `{ file: { path: 'in.jsonl' } }`; or a validated route.
   * @param output left out: everything is discarded.
   * @param name left out: one that nobody else has.
   * @throws {ConfigError} with every problem that was found.
   */
  constructor(input: EndpointConfig | RoutePlan, output?: EndpointConfig | null, name?: string) {
    const config = isRoutePlan(input) ? input : output === undefined ? { input } : { input, output }
    const ownName = isRoutePlan(input) ? input.name : `route-${randomUUID()}`
    this.route = defaultBridge().detached(name ?? ownName, config)
  }

  /**
   * @param path a YAML or JSON file: one route, or a document with `routes`.
   * @param name which of its routes; left out: the file holds only one.
   * @throws {ConfigError} with every problem that was found.
   */
  static fromFile(path: string, name?: string): Route {
    return new Route(routeFrom({ file: path }, name, documentSetting()))
  }

  /** Like `fromFile`, from a text. */
  static fromStr(text: string, name?: string): Route {
    return new Route(routeFrom({ text }, name, documentSetting()))
  }

  /** Like `fromFile`, from an object. */
  static fromConfig(config: unknown, name?: string): Route {
    return new Route(routeFrom({ raw: config }, name, documentSetting()))
  }

  get name(): string {
    return this.route.name
  }

  /** Called with every message; beside typed handlers with those whose kind has none. */
  withHandler(handler: Handler): this {
    this.route.withHandler(handler)
    return this
  }

  /** Called with the parsed JSON of messages whose metadata `kind` has this value. */
  addHandler<T = unknown>(kind: string, handler: TypedHandler<T>): this {
    this.route.addHandler(kind, handler)
    return this
  }

  withBatchSize(messages: number): this {
    return this.withOptions({ batch_size: messages })
  }

  /** @throws {TypeError} a value that the option does not allow. */
  withOptions(options: BridgeRouteOptions): this {
    this.route.withOptions(options)
    return this
  }

  /**
   * Resolves when both ends are open.
   *
   * @throws {MqbError} it can never start, its name is taken, or `MQB_START_TIMEOUT`: it goes on trying.
   */
  async start(): Promise<void> {
    defaultBridge().attach(this.route)
    await this.route.start()
  }

  stop(options?: StopOptions): Promise<RouteResult | undefined> {
    return this.route.stop(options)
  }

  /** Resolves at the end; rejects when the outcome is `failed`. */
  join(): Promise<RouteResult> {
    return this.route.join()
  }

  /** The same as `join`. */
  wait(): Promise<RouteResult> {
    return this.join()
  }

  status(): RouteStatus {
    return this.route.status()
  }

  /** Starts a copy that is not known by its name; it is stopped with the others at a shutdown. */
  async run(name: string = this.name): Promise<RouteHandle> {
    const copy = this.route.copyAs(name)
    await copy.start()
    return {
      stop: options => copy.stop(options),
      join: () => copy.join(),
      outcome: () => copy.status().outcome,
      status: () => copy.status(),
    }
  }

  /** Starts a copy under a name; a running route of that name is stopped first. */
  async deploy(name: string = this.name): Promise<void> {
    const bridge = defaultBridge()
    await bridge.remove(name)
    const copy = this.route.copyAs(name)
    bridge.attach(copy)
    await copy.start()
  }

  /** What can be said about it without connecting: errors and warnings. */
  async check(): Promise<readonly ConfigProblem[]> {
    const { plan } = this.route
    return [...plan.warnings, ...(await prepareRoute(plan))]
  }
}

/** A route of the default bridge. */
export function getRoute(name: string): BridgeRoute | undefined {
  return defaultBridge().get(name)
}

/** Names of the routes of the default bridge. */
export function listRoutes(): readonly string[] {
  return defaultBridge()
    .routes()
    .map(route => route.name)
}

/** Stops a route and forgets it. Resolves to whether there was one. */
export function stopRoute(name: string, options?: StopOptions): Promise<boolean> {
  return defaultBridge().remove(name, options)
}

/** `undefined` when there is no such route. */
export function routeStatus(name: string): RouteStatus | undefined {
  return defaultBridge().get(name)?.status()
}

/**
 * Starts all enabled routes of a document under their names; running routes of these names are stopped first.
 *
 * @throws {ConfigError} before anything is touched, with every problem that was found.
 * @throws {MqbError} a route did not start; those before it keep running.
 */
export async function deployFile(path: string): Promise<readonly string[]> {
  return deployAll({ file: path })
}

/** Like `deployFile`, from a text or an object. */
export async function deploy(config: unknown): Promise<readonly string[]> {
  return deployAll(typeof config === 'string' ? { text: config } : { raw: config })
}

async function deployAll(source: DocumentSource): Promise<readonly string[]> {
  const plans = routesFrom(source, documentSetting()).filter(plan => plan.options.enabled)
  for (const plan of plans) await new Route(plan).deploy()
  return plans.map(plan => plan.name)
}
