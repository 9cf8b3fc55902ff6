import type { Side } from '../../contract/capabilities.ts'
import type { PrepareContext } from '../../contract/plugin.ts'
import type { ConfigProblem, EndpointPlan, RoutePlan } from '../../plan/plan.ts'
import { Findings, faultFinding } from '../problems.ts'
import { Cursor } from '../tree/cursor.ts'
import { collectPlans, placeOf, secretsOf } from './plan-node.ts'

export interface PrepareOptions {
  /** The route will end when its input has nothing more. Default: what its options say. */
  readonly drain?: boolean
}

/**
 * Lets every endpoint and middleware of a route check what lies outside the configuration: files, schemas, settings
 * that exclude one another. Opens nothing.
 *
 * @returns what was found, errors and warnings; nothing is thrown.
 */
export async function prepareRoute(plan: RoutePlan, options: PrepareOptions = {}): Promise<ConfigProblem[]> {
  const findings = new Findings()
  const shared = {
    route: plan.name,
    drain: options.drain ?? plan.options.exit_on_empty,
    batchSize: plan.options.batch_size,
    concurrency: plan.options.concurrency,
    faultInjection: plan.options.allow_fault_injection,
  }
  for (const top of [plan.input, plan.output]) await prepareTree(top, [], shared, findings)
  return findings.problems([], [...secretsOf(plan.input), ...secretsOf(plan.output)])
}

type Shared = Pick<PrepareContext, 'route' | 'drain' | 'batchSize' | 'concurrency' | 'faultInjection'>

type Enclosing = PrepareContext['enclosing']

async function prepareTree(
  plan: EndpointPlan,
  enclosing: Enclosing,
  shared: Shared,
  findings: Findings,
): Promise<void> {
  await prepareEndpoint(plan, enclosing, shared, findings)
  for (const child of plan.children)
    await prepareTree(child, [aroundChild(plan, child), ...enclosing], shared, findings)
}

/** What a nested endpoint still has around it: all middlewares, or those outside of the one whose part it is. */
function aroundChild(plan: EndpointPlan, child: EndpointPlan): Enclosing[number] {
  const { kind, side, middlewares } = plan
  const holder = middlewares.findIndex(({ config }) => collectPlans(config).includes(child))
  const outside =
    holder === -1
      ? middlewares
      : side === 'output'
        ? middlewares.slice(holder + 1)
        : middlewares.slice(0, holder)
  return { kind, middlewares: outside.map(middleware => middleware.kind) }
}

async function prepareEndpoint(
  plan: EndpointPlan,
  enclosing: Enclosing,
  shared: Shared,
  findings: Findings,
): Promise<void> {
  const { side } = plan
  const kinds = plan.middlewares.map(middleware => middleware.kind)
  const contextAt = (cursor: Cursor, path: string, capabilities = plan.leafCapabilities): PrepareContext => ({
    ...shared,
    path,
    side,
    capabilities,
    middlewares: kinds,
    enclosing,
    warn: (what, mend = '') => findings.warning(cursor, { code: 'MQB_CONFIG_WARNING', what, mend }),
  })
  const leafPlace = placeOf(plan) ?? Cursor.root(undefined, { path: [plan.path] })
  await run(leafPlace, findings, () =>
    plan.definition.prepare?.(plan.config, contextAt(leafPlace, plan.path)),
  )
  const concurrency = enclosing.length === 0 ? shared.concurrency : Number.POSITIVE_INFINITY
  let capabilities = plan.leafCapabilities
  for (const middleware of outwards(plan, side)) {
    const place = placeOf(middleware) ?? Cursor.root(undefined, { path: [middleware.path] })
    const context = contextAt(place, middleware.path, capabilities)
    const { definition, config } = middleware
    await run(place, findings, () => definition.prepare?.(config, context))
    capabilities = definition.changes?.(capabilities, config, { side, concurrency }) ?? capabilities
  }
}

function outwards(plan: EndpointPlan, side: Side) {
  return side === 'output' ? plan.middlewares : plan.middlewares.toReversed()
}

async function run(place: Cursor, findings: Findings, prepare: () => unknown): Promise<void> {
  try {
    await prepare()
  } catch (error) {
    findings.error(place, faultFinding(error, 'the check of this part failed'))
  }
}
