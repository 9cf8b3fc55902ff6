import type { Capabilities, Side } from '../../contract/capabilities.ts'
import type { Consumer } from '../../contract/consumer.ts'
import type { Opening } from '../../contract/opening.ts'
import type { EndpointDefinition } from '../../contract/plugin.ts'
import type { Publisher } from '../../contract/publisher.ts'
import type { EndpointPlan, MiddlewarePlan } from '../../plan/plan.ts'
import type { Cursor } from '../tree/cursor.ts'
import { isMap } from '../tree/origins.ts'

const brand: unique symbol = Symbol.for('mqb.EndpointPlan') as never

export interface PlanParts {
  readonly side: Side
  readonly kind: string
  readonly path: string
  readonly config: unknown
  readonly definition: EndpointDefinition
  readonly middlewares: readonly MiddlewarePlan[]
  readonly leafCapabilities: Capabilities
  readonly capabilities: Capabilities
  readonly target: string
  /** Secret values in its configuration and in that of its middlewares. */
  readonly secrets: readonly string[]
}

/** The one implementation of `EndpointPlan`. */
export class PlanNode implements EndpointPlan {
  readonly side: Side
  readonly kind: string
  path: string
  readonly config: unknown
  readonly definition: EndpointDefinition
  readonly middlewares: readonly MiddlewarePlan[]
  readonly leafCapabilities: Capabilities
  readonly capabilities: Capabilities
  readonly target: string
  readonly secrets: readonly string[]
  readonly children: readonly EndpointPlan[]

  constructor(parts: PlanParts) {
    this.side = parts.side
    this.kind = parts.kind
    this.path = parts.path
    this.config = parts.config
    this.definition = parts.definition
    this.middlewares = parts.middlewares
    this.leafCapabilities = parts.leafCapabilities
    this.capabilities = parts.capabilities
    this.target = parts.target
    this.secrets = parts.secrets
    this.children = [
      ...collectPlans(parts.config),
      ...parts.middlewares.flatMap(middleware => collectPlans(middleware.config)),
    ]
  }

  /**
   * A nested null is no object that the tree could be searched for, so its place is known only once the configuration
   * around it is parsed.
   */
  moveTo(endpoint: Cursor): void {
    const place = endpoint.child(this.kind)
    this.path = place.where
    setPlace(this, place)
  }

  get [brand](): true {
    return true
  }

  open(opening: Opening): Promise<Consumer & Publisher> {
    return opening.openEndpoint(this as never) as Promise<Consumer & Publisher>
  }
}

/** Whether a value in a parsed configuration is the plan of a nested endpoint. */
export function isEndpointPlan(value: unknown): value is EndpointPlan {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true
}

/** The plans in a parsed configuration, in order of appearance; not those inside them. */
export function collectPlans(config: unknown): EndpointPlan[] {
  if (isEndpointPlan(config)) return [config]
  if (Array.isArray(config)) return config.flatMap(collectPlans)
  if (config instanceof Map) return [...config.values()].flatMap(collectPlans)
  return isMap(config) ? Object.values(config).flatMap(collectPlans) : []
}

/** Gives the plans in a parsed configuration that were made out of nothing the place at which they stand. */
export function placeEmptyPlans(config: unknown, cursor: Cursor): void {
  if (config instanceof PlanNode) {
    if (config.kind === 'null' && config.middlewares.length === 0) config.moveTo(cursor)
  } else if (Array.isArray(config)) {
    for (const [index, entry] of config.entries()) placeEmptyPlans(entry, cursor.child(index))
  } else if (isMap(config)) {
    for (const [key, entry] of Object.entries(config)) placeEmptyPlans(entry, cursor.child(key))
  }
}

/** A plan and everything nested in it, outermost first. */
export function* walkPlans(plan: EndpointPlan): Iterable<EndpointPlan> {
  yield plan
  for (const child of plan.children) yield* walkPlans(child)
}

/** Every secret value in the configuration of a plan, for whoever scrubs texts. */
export function secretsOf(plan: EndpointPlan): string[] {
  const values = new Set<string>()
  for (const node of walkPlans(plan)) {
    for (const value of (node as Partial<PlanNode>).secrets ?? []) values.add(value)
  }
  return [...values]
}

// Beside the plans and not in them: a plan is data for everybody, where it was written is for messages only.
const places = new WeakMap<object, Cursor>()

export function setPlace(plan: EndpointPlan | MiddlewarePlan, cursor: Cursor): void {
  places.set(plan, cursor)
}

/** Where a plan was written. */
export function placeOf(plan: EndpointPlan | MiddlewarePlan): Cursor | undefined {
  return places.get(plan)
}
