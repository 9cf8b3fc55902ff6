import type { Capabilities, Side } from '../contract/capabilities.ts'
import type { Consumer } from '../contract/consumer.ts'
import type { Opening } from '../contract/opening.ts'
import type { EndpointDefinition, MiddlewareDefinition } from '../contract/plugin.ts'
import type { Publisher } from '../contract/publisher.ts'

/** One entry of a `middlewares` list, validated. */
export interface MiddlewarePlan {
  readonly kind: string
  /** `orders.output.middlewares[1].dlq` */
  readonly path: string
  readonly config: unknown
  readonly definition: MiddlewareDefinition<unknown>
}

/**
 * A validated endpoint with its middlewares: what a field marked by `endpoint('output')` becomes. Nothing is open yet;
 * the same plan can be opened again.
 */
export interface EndpointPlan<S extends Side = Side> {
  readonly side: S
  /** Key of the endpoint type: `file`. */
  readonly kind: string
  /** `orders.output.file` */
  readonly path: string
  readonly config: unknown
  readonly definition: EndpointDefinition<unknown>
  /** In configuration order: on an output the last is outermost, on an input the first is. */
  readonly middlewares: readonly MiddlewarePlan[]
  /** Of the bare endpoint. */
  readonly leafCapabilities: Capabilities
  /** Seen from outside all middlewares. */
  readonly capabilities: Capabilities
  /** What it is, without secrets. */
  readonly target: string
  /** Plans nested in its own configuration and in that of its middlewares, in order of appearance. */
  readonly children: readonly EndpointPlan[]
  open(opening: Opening): Promise<S extends 'input' ? Consumer : Publisher>
}

/** Options of a route with their defaults filled in. Names as in the configuration. */
export interface RouteOptions {
  readonly description: string
  readonly enabled: boolean
  readonly concurrency: number
  readonly batch_size: number
  readonly commit_concurrency_limit: number
  readonly startup_timeout_ms: number
  readonly reconnect_interval_ms: number
  readonly empty_batch_delay_ms: number
  readonly exit_on_empty: boolean
  readonly allow_fault_injection: boolean
}

/** A validated route. */
export interface RoutePlan {
  readonly name: string
  readonly input: EndpointPlan<'input'>
  readonly output: EndpointPlan<'output'>
  readonly options: RouteOptions
  /** Found while validating: logged when the route starts, printed by `validate`. */
  readonly warnings: readonly ConfigProblem[]
}

/** One finding about a configuration. */
export interface ConfigProblem {
  readonly severity: 'error' | 'warning'
  /** `MQB_CONFIG_…` */
  readonly code: string
  /** Path in the configuration: `orders.input.nats.url`; or the environment variable, flag or URI that it came from. */
  readonly where: string
  readonly what: string
  readonly mend: string
  readonly file?: string
  /** From 1. */
  readonly line?: number
  readonly column?: number
}
