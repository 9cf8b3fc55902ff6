import type { Capabilities, Side } from '../../contract/capabilities.ts'
import type { MiddlewareDefinition } from '../../contract/plugin.ts'
import type { MiddlewarePlan } from '../../plan/plan.ts'
import { describeValue, toFlowYaml } from '../schema/describe.ts'
import { missingFields } from '../schema/issues.ts'
import { parseAt } from '../schema/parse.ts'
import { fieldsOf, shapesOf, toZodSchema } from '../schema/walk.ts'
import type { Cursor } from '../tree/cursor.ts'
import { isMap } from '../tree/origins.ts'
import { nestedPlanner, type PlanContext, type PlanEndpoint } from './context.ts'
import { askDefinition, prepareValue } from './endpoint.ts'
import { readCustomName, reportCustomName } from './endpoint-key.ts'
import { fillDefaults } from './fill-defaults.ts'
import { placeEmptyPlans, setPlace } from './plan-node.ts'
import { secretValues } from './secrets.ts'
import { reportUnknownPart } from './unknown-part.ts'
import { warnWrongSide } from './wrong-side.ts'

/** Plans the list `middlewares` of an endpoint. `undefined` when something in it is wrong; all of it is reported. */
export function planMiddlewares(
  endpoint: Cursor,
  side: Side,
  context: PlanContext,
  planEndpoint: PlanEndpoint,
): MiddlewarePlan[] | undefined {
  if (!isMap(endpoint.value)) return []
  const list = endpoint.child('middlewares')
  if (list.value === undefined || list.value === null) return []
  if (!Array.isArray(list.value)) {
    context.findings.error(list, {
      code: 'MQB_CONFIG_INVALID',
      what: `expected a list of middlewares, got ${describeValue(list.value, false)}`,
      mend: isMap(list.value)
        ? `put a dash before each: middlewares: [${Object.keys(list.value)
            .map(name => `{ ${name}: { … } }`)
            .join(', ')}]`
        : 'write it as a list, for example: middlewares: [{ retry: { max_attempts: 3 } }]',
    })
    return undefined
  }
  const plans = [...list.children()].map(item => planMiddleware(item, side, context, planEndpoint))
  return plans.every(plan => plan !== undefined) ? plans : undefined
}

function planMiddleware(
  item: Cursor,
  side: Side,
  context: PlanContext,
  planEndpoint: PlanEndpoint,
): MiddlewarePlan | undefined {
  const choice = chooseMiddleware(item, context)
  if (choice === undefined) return undefined
  const { kind, config: cursor } = choice
  const definition = choice.definition ?? context.registry.middleware(kind)
  if (definition === undefined) {
    reportUnknownPart('middleware', kind, cursor, context)
    return undefined
  }
  const servesSide = checkSide(definition, kind, side, cursor, context)
  const schema = toZodSchema(definition.config)
  prepareValue(cursor, schema)
  fillDefaults(schema, cursor, context.route)
  warnWrongSide(schema, cursor, side, context.findings)
  for (const value of secretValues(schema, cursor)) context.secrets.add(value)
  const parsed = parseAt(schema, cursor, nestedPlanner(cursor, context, planEndpoint), context.findings)
  if (parsed === undefined || !servesSide) return undefined
  placeEmptyPlans(parsed.value, cursor)
  const plan = { kind, path: cursor.where, config: parsed.value, definition }
  setPlace(plan, cursor)
  return plan
}

function checkSide(
  definition: MiddlewareDefinition,
  kind: string,
  side: Side,
  cursor: Cursor,
  context: PlanContext,
): boolean {
  const wraps = side === 'input' ? definition.wrapConsumer : definition.wrapPublisher
  if (wraps !== undefined) return true
  const other = side === 'input' ? 'output' : 'input'
  context.findings.error(cursor, {
    code: 'MQB_CONFIG_WRONG_SIDE',
    what: `${kind} works on ${other}s only, this is an ${side}`,
    mend: `move it into the middlewares of the ${other}`,
    atKey: true,
  })
  return false
}

interface MiddlewareChoice {
  readonly kind: string
  readonly config: Cursor
  readonly definition?: MiddlewareDefinition
}

/** An entry is a map with one key, or only the name where nothing has to be configured. */
function chooseMiddleware(item: Cursor, context: PlanContext): MiddlewareChoice | undefined {
  const { value } = item
  if (typeof value === 'string' && value !== '') return bareName(value, item, context)
  const names = isMap(value) ? Object.keys(value) : []
  const [name] = names
  if (name === undefined) {
    context.findings.error(item, {
      code: 'MQB_CONFIG_INVALID',
      what: `expected a middleware: a map with one key that names it, got ${describeValue(value, false)}`,
      mend: 'write one, for example: - retry: { max_attempts: 3 }',
    })
    return undefined
  }
  if (names.length > 1) {
    reportSeveral(names, item, context)
    return undefined
  }
  const config = item.child(name)
  return name === 'custom' ? customMiddleware(config, context) : { kind: name, config }
}

function bareName(name: string, item: Cursor, context: PlanContext): MiddlewareChoice | undefined {
  const definition = context.registry.middleware(name)
  const config = item.detached(name)
  if (definition === undefined) return { kind: name, config }
  const schema = toZodSchema(definition.config)
  const missing = missingFields(schema, undefined)
  if (shapesOf(schema).has('map') && missing.length === 0) {
    config.value = {}
    return { kind: name, config, definition }
  }
  context.findings.error(item, {
    code: 'MQB_CONFIG_MISSING',
    what: `${name} cannot stand alone: ${missing.length === 0 ? 'it needs a value' : `it needs ${missing.join(', ')}`}`,
    mend: `write it with its configuration, for example: - ${toFlowYaml({ [name]: definition.examples[0]?.config ?? {} }).slice(2, -2)}`,
  })
  return undefined
}

function customMiddleware(config: Cursor, context: PlanContext): MiddlewareChoice | undefined {
  const names = context.registry.names('middleware')
  const name = readCustomName(config, context, names)
  if (name === undefined) return undefined
  const definition = context.registry.middleware(name)
  if (definition !== undefined) return { kind: name, config: config.child('config'), definition }
  reportCustomName('middleware', name, config, context, names)
  return undefined
}

function reportSeveral(names: readonly string[], item: Cursor, context: PlanContext): void {
  const { registry, findings } = context
  const middlewares = names.filter(name => name === 'custom' || registry.middleware(name) !== undefined)
  const [kind] = middlewares
  const fields =
    middlewares.length === 1 ? fieldsOf(toZodSchema(registry.middleware(kind!)?.config ?? {})) : undefined
  const others = names.filter(name => name !== kind)
  const belong = fields !== undefined && others.every(name => fields.has(name))
  findings.error(item, {
    code: 'MQB_CONFIG_INVALID',
    what: `an entry of the list is one middleware, this one has the keys ${names.join(', ')}`,
    mend: belong
      ? `indent ${others.join(', ')} below ${kind}`
      : 'put a dash before each middleware, and indent its fields below its name',
  })
}

/** How the middlewares change what the endpoint promises: from the innermost outwards. */
export function changedCapabilities(
  leaf: Capabilities,
  middlewares: readonly MiddlewarePlan[],
  side: Side,
  cursor: Cursor,
  context: PlanContext,
): Capabilities | undefined {
  const outwards = side === 'output' ? middlewares : middlewares.toReversed()
  const { concurrency } = context
  return askDefinition(cursor, context, () =>
    outwards.reduce(
      (inner, { definition, config }) => definition.changes?.(inner, config, { side, concurrency }) ?? inner,
      leaf,
    ),
  )
}
