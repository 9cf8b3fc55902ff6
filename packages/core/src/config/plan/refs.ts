import { wrapPublisher } from '../../batch/wrap.ts'
import type { Side } from '../../contract/capabilities.ts'
import type { EndpointDefinition } from '../../contract/plugin.ts'
import type { EndpointPlan, MiddlewarePlan } from '../../plan/plan.ts'
import type { NamedPublisher } from '../../registry/index.ts'
import { describeValue } from '../schema/describe.ts'
import { suggest, suggestionText } from '../suggest.ts'
import { copyTree } from '../tree/copy.ts'
import { Cursor } from '../tree/cursor.ts'
import { addPlaces, type PlanContext, type PlanEndpoint } from './context.ts'
import { changedCapabilities } from './middlewares.ts'
import { PlanNode, setPlace } from './plan-node.ts'

/**
 * Plans `ref: name`: the endpoint configuration of that name, else the publisher of the configuration, else the
 * publisher that runs under it. The middlewares beside the `ref` go around those of what it names.
 */
export function planRef(
  ref: Cursor,
  around: Cursor,
  side: Side,
  middlewares: readonly MiddlewarePlan[] | undefined,
  context: PlanContext,
  planEndpoint: PlanEndpoint,
): EndpointPlan | undefined {
  const name = ref.value
  if (typeof name !== 'string' || name === '') {
    context.findings.error(ref, {
      code: 'MQB_CONFIG_INVALID',
      what: `expected the name of an endpoint, got ${describeValue(name, false)}`,
      mend: 'write it as: ref: name_of_the_publisher',
    })
    return undefined
  }
  if (context.refs.includes(name)) {
    reportCycle(name, ref, context)
    return undefined
  }
  const target = findTarget(name, ref, side, context)
  if (target === undefined) return undefined
  if (!(target instanceof Cursor)) {
    return (
      middlewares && wrapPlan(runningPlan(name, target, ref.where), side, middlewares, ref, around, context)
    )
  }
  const planned = planEndpoint(target, side, {
    ...context,
    refs: [...context.refs, name],
    depth: context.depth + 1,
  })
  if (planned === undefined || middlewares === undefined) return undefined
  return wrapPlan(planned, side, middlewares, ref, around, context)
}

function findTarget(
  name: string,
  ref: Cursor,
  side: Side,
  context: PlanContext,
): Cursor | NamedPublisher | undefined {
  const { registry, publishers, findings } = context
  const config = registry.endpointConfig(name)
  if (config !== undefined) {
    const cursor = Cursor.root(copyTree(config.raw), { path: [name] })
    addPlaces(context, cursor)
    return cursor
  }
  const publisher = publishers.get(name) ?? registry.publisher(name)
  if (publisher !== undefined && side === 'output') return publisher
  if (publisher !== undefined) {
    findings.error(ref, {
      code: 'MQB_CONFIG_WRONG_SIDE',
      what: `${name} is a publisher: it can only be used as an output`,
      mend: 'write the endpoint here, or register its configuration under a name',
    })
    return undefined
  }
  const names = [...new Set([...publishers.keys(), ...registry.refNames()])]
  findings.error(ref, {
    code: 'MQB_CONFIG_UNKNOWN_REF',
    what: `there is no publisher or registered endpoint named ${JSON.stringify(name)}`,
    mend:
      suggest(name, names) === undefined && names.length === 0
        ? `add it to the configuration: publishers: { ${name}: … }`
        : suggestionText(name, names, 'names'),
  })
  return undefined
}

/** One cycle is one finding, wherever one enters it: it is told beginning with its first name in the alphabet. */
function reportCycle(name: string, ref: Cursor, context: PlanContext): void {
  const cycle = context.refs.slice(context.refs.indexOf(name))
  const smallest = [...cycle].sort()[0]!
  const start = cycle.indexOf(smallest)
  const ordered = [...cycle.slice(start), ...cycle.slice(0, start), smallest]
  const first = context.publishers.get(smallest)
  context.findings.error(first ?? ref, {
    code: 'MQB_CONFIG_REF_CYCLE',
    what: `these endpoints refer to one another in a circle: ${ordered.join(' -> ')}`,
    mend: 'let one of them name a real endpoint',
    atKey: true,
  })
}

/** The plan of what is named, seen from the place that names it. */
function wrapPlan(
  inner: EndpointPlan,
  side: Side,
  outside: readonly MiddlewarePlan[],
  ref: Cursor,
  around: Cursor,
  context: PlanContext,
): EndpointPlan | undefined {
  const capabilities = changedCapabilities(inner.capabilities, outside, side, around, context)
  if (capabilities === undefined) return undefined
  const plan = new PlanNode({
    side,
    kind: inner.kind,
    path: ref.where,
    config: inner.config,
    definition: inner.definition,
    middlewares: side === 'output' ? [...inner.middlewares, ...outside] : [...outside, ...inner.middlewares],
    leafCapabilities: inner.leafCapabilities,
    capabilities,
    target: inner.target,
    secrets: (inner as PlanNode).secrets,
  })
  setPlace(plan, ref)
  return plan
}

/** A publisher that is open already: whoever opened it closes it. */
function runningPlan(name: string, named: NamedPublisher, path: string): EndpointPlan {
  const definition: EndpointDefinition = {
    summary: 'A registered publisher.',
    config: {},
    examples: [],
    describe: () => `ref ${name}`,
    capabilities: () => named.capabilities,
    openPublisher: async () => wrapPublisher(named.publisher, { close: async () => {} }),
  }
  return new PlanNode({
    side: 'output',
    kind: 'ref',
    path,
    config: { name },
    definition,
    middlewares: [],
    leafCapabilities: named.capabilities,
    capabilities: named.capabilities,
    target: `ref ${name}`,
    secrets: [],
  })
}
