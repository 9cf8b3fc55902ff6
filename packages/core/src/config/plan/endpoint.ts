import type { Capabilities, Side } from '../../contract/capabilities.ts'
import type { EndpointDefinition } from '../../contract/plugin.ts'
import type { EndpointPlan, MiddlewarePlan } from '../../plan/plan.ts'
import { faultFinding } from '../problems.ts'
import { parseAt } from '../schema/parse.ts'
import { type Schema, shapesOf, toZodSchema } from '../schema/walk.ts'
import type { Cursor } from '../tree/cursor.ts'
import { isMap } from '../tree/origins.ts'
import { maxNesting, nestedPlanner, type PlanContext } from './context.ts'
import { chooseEndpoint } from './endpoint-key.ts'
import { fillDefaults } from './fill-defaults.ts'
import { changedCapabilities, planMiddlewares } from './middlewares.ts'
import { PlanNode, placeEmptyPlans, setPlace } from './plan-node.ts'
import { planRef } from './refs.ts'
import { secretValues } from './secrets.ts'
import { reportUnknownPart } from './unknown-part.ts'
import { warnWrongSide } from './wrong-side.ts'

/**
 * Plans one endpoint with its middlewares and everything nested in it.
 *
 * @returns `undefined` after telling the findings what is wrong.
 */
export function planEndpointAt(cursor: Cursor, side: Side, context: PlanContext): EndpointPlan | undefined {
  if (cursor.origin.reported === true) return undefined
  if (context.depth > maxNesting) {
    context.findings.error(cursor, {
      code: 'MQB_CONFIG_NESTING',
      what: `endpoints are nested deeper than ${maxNesting} levels`,
      mend: 'move the inner ones into routes of their own, joined by memory endpoints',
    })
    return undefined
  }
  const choice = chooseEndpoint(cursor, side, context)
  const middlewares = planMiddlewares(cursor, side, context, planEndpointAt)
  if (choice === undefined) return undefined
  if (choice.kind === 'ref') return planRef(choice.config, cursor, side, middlewares, context, planEndpointAt)
  const leaf = planLeaf(choice.kind, choice.config, choice.definition, side, context)
  if (leaf === undefined || middlewares === undefined) return undefined
  return assemble({ leaf, middlewares, cursor, side, kind: choice.kind, context })
}

interface Leaf {
  readonly definition: EndpointDefinition
  readonly config: unknown
  readonly place: Cursor
  readonly capabilities: Capabilities
  readonly target: string
  readonly secrets: readonly string[]
}

function planLeaf(
  kind: string,
  cursor: Cursor,
  known: EndpointDefinition | undefined,
  side: Side,
  context: PlanContext,
): Leaf | undefined {
  const definition = known ?? context.registry.endpoint(kind)
  if (definition === undefined) {
    reportUnknownPart('endpoint', kind, cursor, context)
    return undefined
  }
  if (!servesSide(definition, side, kind, cursor, context)) return undefined
  const schema = toZodSchema(definition.config)
  prepareValue(cursor, schema)
  fillDefaults(schema, cursor, context.route)
  warnWrongSide(schema, cursor, side, context.findings)
  const secrets = secretValues(schema, cursor)
  for (const value of secrets) context.secrets.add(value)
  const parsed = parseAt(schema, cursor, nestedPlanner(cursor, context, planEndpointAt), context.findings)
  if (parsed === undefined) return undefined
  const config = parsed.value
  placeEmptyPlans(config, cursor)
  const promise = askDefinition(cursor, context, () => ({
    capabilities: definition.capabilities(config, side),
    target: definition.describe(config),
  }))
  if (promise === undefined) return undefined
  return { definition, config, place: cursor, secrets, ...promise }
}

/** `file:` with nothing behind it means a map without entries, where the schema wants a map. */
export function prepareValue(cursor: Cursor, schema: Schema): void {
  if (cursor.value !== null && cursor.value !== undefined) return
  const shapes = shapesOf(schema)
  if (shapes.has('map') && !shapes.has('null') && !shapes.has('any')) cursor.value = {}
}

function servesSide(
  definition: EndpointDefinition,
  side: Side,
  kind: string,
  cursor: Cursor,
  context: PlanContext,
): boolean {
  const opens = side === 'input' ? definition.openConsumer : definition.openPublisher
  if (opens !== undefined) return true
  const other = side === 'input' ? 'output' : 'input'
  context.findings.error(cursor, {
    code: 'MQB_CONFIG_WRONG_SIDE',
    what: `${kind} is no ${side}: it can only be used as an ${other}`,
    mend:
      kind === 'null'
        ? 'give the input an endpoint, for example: file: { path: "in.jsonl" }'
        : `use another endpoint as the ${side}`,
    atKey: true,
  })
  return false
}

/** What a definition computes from its configuration may be refused by it. */
export function askDefinition<T>(cursor: Cursor, context: PlanContext, ask: () => T): T | undefined {
  try {
    return ask()
  } catch (error) {
    context.findings.error(cursor, faultFinding(error, 'the plugin failed on this configuration'))
    return undefined
  }
}

function assemble(parts: {
  leaf: Leaf
  middlewares: readonly MiddlewarePlan[]
  cursor: Cursor
  side: Side
  kind: string
  context: PlanContext
}): EndpointPlan | undefined {
  const { leaf, middlewares, cursor, side, kind, context } = parts
  const capabilities = changedCapabilities(leaf.capabilities, middlewares, side, cursor, context)
  if (capabilities === undefined) return undefined
  const plan = new PlanNode({
    side,
    kind,
    path: leaf.place.where,
    config: leaf.config,
    definition: leaf.definition,
    middlewares,
    leafCapabilities: leaf.capabilities,
    capabilities,
    target: leaf.target,
    secrets: [...leaf.secrets, ...middlewareSecrets(cursor, context)],
  })
  setPlace(plan, leaf.place)
  return plan
}

function middlewareSecrets(cursor: Cursor, context: PlanContext): string[] {
  const list = isMap(cursor.value) ? cursor.child('middlewares') : undefined
  if (list === undefined) return []
  return [...list.children()].flatMap(item =>
    [...item.children()].flatMap(config => {
      const definition = context.registry.middleware(String(config.path.at(-1)))
      return secretValues(definition && toZodSchema(definition.config), config)
    }),
  )
}
