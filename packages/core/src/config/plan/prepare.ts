import type { Side } from '../../contract/capabilities.ts'
import type { PrepareContext } from '../../contract/plugin.ts'
import type { ConfigProblem, EndpointPlan, RoutePlan } from '../../plan/plan.ts'
import { Findings, faultFinding } from '../problems.ts'
import { Cursor } from '../tree/cursor.ts'
import { placeOf, secretsOf, walkPlans } from './plan-node.ts'

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
  for (const top of [plan.input, plan.output]) {
    for (const node of walkPlans(top)) await prepareEndpoint(node, shared, findings)
  }
  return findings.problems([], [...secretsOf(plan.input), ...secretsOf(plan.output)])
}

type Shared = Pick<PrepareContext, 'route' | 'drain' | 'batchSize' | 'concurrency' | 'faultInjection'>

async function prepareEndpoint(plan: EndpointPlan, shared: Shared, findings: Findings): Promise<void> {
  const { side } = plan
  const kinds = plan.middlewares.map(middleware => middleware.kind)
  const contextAt = (cursor: Cursor, path: string, capabilities = plan.leafCapabilities): PrepareContext => ({
    ...shared,
    path,
    side,
    capabilities,
    middlewares: kinds,
    warn: (what, mend = '') => findings.warning(cursor, { code: 'MQB_CONFIG_WARNING', what, mend }),
  })
  const leafPlace = placeOf(plan) ?? Cursor.root(undefined, { path: [plan.path] })
  await run(leafPlace, findings, () =>
    plan.definition.prepare?.(plan.config, contextAt(leafPlace, plan.path)),
  )
  let capabilities = plan.leafCapabilities
  for (const middleware of outwards(plan, side)) {
    const place = placeOf(middleware) ?? Cursor.root(undefined, { path: [middleware.path] })
    const context = contextAt(place, middleware.path, capabilities)
    const { definition, config } = middleware
    await run(place, findings, () => definition.prepare?.(config, context))
    capabilities = definition.changes?.(capabilities, config, side) ?? capabilities
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
