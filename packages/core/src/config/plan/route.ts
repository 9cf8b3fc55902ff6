import type { Side } from '../../contract/capabilities.ts'
import type { EndpointPlan, RouteOptions, RoutePlan } from '../../plan/plan.ts'
import type { Registry } from '../../registry/index.ts'
import { ConfigError, Findings } from '../problems.ts'
import { routeKeys, routeOptionsSchema } from '../route-options.ts'
import { describeValue } from '../schema/describe.ts'
import { parseAt } from '../schema/parse.ts'
import { suggestionText } from '../suggest.ts'
import { copyTree } from '../tree/copy.ts'
import { Cursor } from '../tree/cursor.ts'
import { isMap } from '../tree/origins.ts'
import { addPlaces, type Environment, nestedPlanner, type PlanContext } from './context.ts'
import { planEndpointAt } from './endpoint.ts'
import { secretsOf } from './plan-node.ts'
import { checkReplies } from './replies.ts'

export interface PlanOptions {
  /** Variables for `${env:NAME}`. Default: the environment of the process. */
  readonly env?: Environment
  /** Named outputs that a `ref` may name, as in a configuration. */
  readonly publishers?: Readonly<Record<string, unknown>>
  /** Options of the route that have another default here. */
  readonly defaults?: Partial<RouteOptions>
}

/**
 * Validates a route and everything in it. Opens nothing.
 *
 * @param raw as in a configuration: `{ input, output, ...options }`. It is copied.
 * @throws {ConfigError} with every problem that was found.
 */
export function planRoute(
  raw: unknown,
  name: string,
  registry: Registry,
  options: PlanOptions = {},
): RoutePlan {
  const cursor = Cursor.root(copyTree(raw), { path: [name] })
  const context = startContext(registry, name, options)
  addPlaces(context, cursor)
  const plan = planRouteAt(cursor, name, context, options.defaults)
  if (plan === undefined) throw new ConfigError(context.findings.problems([], context.secrets))
  return plan
}

/**
 * Validates a single endpoint. Opens nothing.
 *
 * @throws {ConfigError} with every problem that was found.
 */
export function planEndpoint<S extends Side>(
  raw: unknown,
  side: S,
  registry: Registry,
  options: PlanOptions & { readonly route?: string; readonly path?: string } = {},
): EndpointPlan<S> {
  const cursor = Cursor.root(copyTree(raw), { path: [options.path ?? side] })
  const context = startContext(registry, options.route ?? side, options)
  addPlaces(context, cursor)
  const plan = planEndpointAt(cursor, side, context)
  if (plan === undefined || context.findings.failed)
    throw new ConfigError(context.findings.problems([], context.secrets))
  return plan as EndpointPlan<S>
}

function startContext(registry: Registry, route: string, options: PlanOptions): PlanContext {
  const publishers = new Map<string, Cursor>()
  const context: PlanContext = {
    registry,
    env: options.env ?? process.env,
    route,
    publishers,
    findings: new Findings(),
    refs: [],
    depth: 0,
    concurrency: Number.POSITIVE_INFINITY,
    places: new WeakMap(),
    secrets: new Set(),
  }
  for (const [name, raw] of Object.entries(options.publishers ?? {})) {
    const cursor = Cursor.root(copyTree(raw), { path: ['publishers', name] })
    addPlaces(context, cursor)
    publishers.set(name, cursor)
  }
  return context
}

/** Plans the route at a cursor; the findings of the context get what is wrong. */
export function planRouteAt(
  cursor: Cursor,
  name: string,
  around: PlanContext,
  defaults: Partial<RouteOptions> = {},
): RoutePlan | undefined {
  const findings = new Findings()
  const context: PlanContext = { ...around, route: name, findings }
  const plan = planParts(cursor, name, context, defaults)
  around.findings.takeFrom(findings)
  return findings.failed ? undefined : plan
}

function planParts(
  cursor: Cursor,
  name: string,
  context: PlanContext,
  defaults: Partial<RouteOptions>,
): RoutePlan | undefined {
  const { findings } = context
  if (!isMap(cursor.value)) {
    findings.error(cursor, {
      code: 'MQB_CONFIG_INVALID',
      what: `expected a route: a map with "input" and "output", got ${describeValue(cursor.value, false)}`,
      mend: 'write one, for example: { input: { file: { path: "in.jsonl" } }, output: { file: { path: "out.jsonl" } } }',
    })
    return undefined
  }
  const unknown = reportUnknownKeys(cursor, context)
  const options = parseOptions(cursor, context, defaults)
  const ends = { ...context, concurrency: options?.concurrency ?? context.concurrency }
  const input = planInput(cursor, unknown, ends)
  const output = planEndpointAt(cursor.child('output'), 'output', ends) as EndpointPlan<'output'> | undefined
  if (input === undefined || output === undefined || options === undefined) return undefined
  checkReplies(input, output, cursor, context)
  const warnings = findings.problems([], context.secrets).filter(problem => problem.severity === 'warning')
  return { name, input, output, options, warnings }
}

function planInput(
  cursor: Cursor,
  unknown: readonly string[],
  context: PlanContext,
): EndpointPlan<'input'> | undefined {
  const input = cursor.child('input')
  if (input.value !== undefined)
    return planEndpointAt(input, 'input', context) as EndpointPlan<'input'> | undefined
  // A misspelt `input` is reported as such; that it is missing too would be the same thing said twice.
  if (unknown.some(key => suggestionText(key, ['input']).startsWith('did you mean'))) return undefined
  context.findings.error(input, {
    code: 'MQB_CONFIG_MISSING',
    what: 'input is required and is not set',
    mend: 'add it, for example: input: { file: { path: "in.jsonl" } }',
    atKey: true,
  })
  return undefined
}

function parseOptions(
  cursor: Cursor,
  context: PlanContext,
  defaults: Partial<RouteOptions>,
): RouteOptions | undefined {
  let valid = true
  const options: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(routeOptionsSchema.shape)) {
    const at = cursor.child(name)
    const preset = defaults[name as keyof RouteOptions]
    if (at.value === undefined && preset !== undefined) {
      options[name] = preset
      continue
    }
    const parsed = parseAt(schema, at, nestedPlanner(at, context, planEndpointAt), context.findings)
    if (parsed === undefined) valid = false
    else options[name] = parsed.value
  }
  return valid ? (options as unknown as RouteOptions) : undefined
}

function reportUnknownKeys(cursor: Cursor, context: PlanContext): string[] {
  const unknown = Object.keys(cursor.value as object).filter(key => !routeKeys.includes(key))
  const free = routeKeys.filter(key => !Object.hasOwn(cursor.value as object, key))
  for (const key of unknown) {
    const at = cursor.child(key)
    if (at.origin.reported === true) continue
    context.findings.error(at, {
      code: 'MQB_CONFIG_UNKNOWN_KEY',
      what: `the key ${JSON.stringify(key)} is not known in a route`,
      mend: unknownKeyMend(key, free, context),
      atKey: true,
    })
  }
  return unknown
}

function unknownKeyMend(key: string, free: readonly string[], { registry }: PlanContext): string {
  if (key === 'middlewares') return 'middlewares belong to an endpoint: move the list into input or output'
  const text = suggestionText(key, free)
  if (text.startsWith('did you mean')) return text
  if (registry.middleware(key) !== undefined)
    return `${key} is a middleware: put it into the list "middlewares" of input or output`
  if (registry.endpoint(key) !== undefined) return `${key} is an endpoint: put it below input or output`
  return suggestionText(key, routeKeys)
}

/** Every secret value in the configuration of a route. */
export function routeSecrets(plan: RoutePlan): string[] {
  return [...new Set([...secretsOf(plan.input), ...secretsOf(plan.output)])]
}
