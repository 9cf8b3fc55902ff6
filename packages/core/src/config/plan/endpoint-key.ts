import type { Side } from '../../contract/capabilities.ts'
import type { EndpointDefinition } from '../../contract/plugin.ts'
import { routeKeys } from '../route-options.ts'
import { describeValue } from '../schema/describe.ts'
import { fieldsOf, toZodSchema } from '../schema/walk.ts'
import { suggest, suggestionText } from '../suggest.ts'
import type { Cursor } from '../tree/cursor.ts'
import { isMap } from '../tree/origins.ts'
import type { PlanContext } from './context.ts'

export interface EndpointChoice {
  /** `ref`, or the name of an endpoint type. */
  readonly kind: string
  readonly config: Cursor
  /** Set where it was found by other means than by `kind`. */
  readonly definition?: EndpointDefinition
}

const example = 'write one, for example: file: { path: "orders.jsonl" }'

/** Finds the one key that names the endpoint. Nothing at all, `~` and `{}` are the `null` endpoint. */
export function chooseEndpoint(cursor: Cursor, side: Side, context: PlanContext): EndpointChoice | undefined {
  const { value } = cursor
  if (value === undefined || value === null) return nullEndpoint(cursor)
  if (!isMap(value)) {
    context.findings.error(cursor, {
      code: 'MQB_CONFIG_INVALID',
      what: `expected an endpoint: a map with one key that names its type, got ${describeValue(value, false)}`,
      mend: valueMend(value, side),
    })
    return undefined
  }
  const names = Object.keys(value).filter(key => key !== 'middlewares')
  const [name] = names
  if (name === undefined) return nullEndpoint(cursor)
  if (names.length > 1) {
    reportSeveral(names, cursor, context)
    return undefined
  }
  const config = cursor.child(name)
  if (name === 'null') return explicitNull(cursor, config, context)
  if (name === 'custom') return customEndpoint(config, context)
  return { kind: name, config }
}

function nullEndpoint(cursor: Cursor): EndpointChoice {
  return { kind: 'null', config: cursor.detached('null') }
}

function explicitNull(cursor: Cursor, config: Cursor, context: PlanContext): EndpointChoice | undefined {
  if (config.value === null || config.value === undefined) return nullEndpoint(cursor)
  context.findings.error(config, {
    code: 'MQB_CONFIG_INVALID',
    what: `null takes no configuration, got ${describeValue(config.value, false)}`,
    mend: 'leave the value empty: "output: null", or "null:" with nothing behind it',
    atKey: true,
  })
  return undefined
}

function customEndpoint(config: Cursor, context: PlanContext): EndpointChoice | undefined {
  const name = readCustomName(config, context, context.registry.names('endpoint'))
  if (name === undefined) return undefined
  const definition = context.registry.endpoint(name)
  if (definition !== undefined) return { kind: name, config: config.child('config'), definition }
  reportCustomName('endpoint', name, config, context, context.registry.names('endpoint'))
  return undefined
}

/** The name in `custom: {name, config}`, after checking the shape. */
export function readCustomName(
  config: Cursor,
  context: PlanContext,
  names: readonly string[],
): string | undefined {
  const { value } = config
  if (typeof value === 'string' || !isMap(value)) {
    context.findings.error(config, {
      code: 'MQB_CONFIG_INVALID',
      what: `expected a map with the key "name", got ${describeValue(value, false)}`,
      mend: `write it as: custom: { name: ${typeof value === 'string' ? value : (names[0] ?? 'my_name')} }`,
    })
    return undefined
  }
  let valid = true
  for (const key of Object.keys(value)) {
    if (key === 'name' || key === 'config') continue
    valid = false
    context.findings.error(config.child(key), {
      code: 'MQB_CONFIG_UNKNOWN_KEY',
      what: `the key ${JSON.stringify(key)} is not known here`,
      mend:
        suggest(key, ['name', 'config']) === undefined
          ? 'move it into "config"'
          : suggestionText(key, ['name', 'config']),
      atKey: true,
    })
  }
  const name = value.name
  if (typeof name === 'string' && name !== '') return valid ? name : undefined
  const missing = name === undefined
  context.findings.error(config.child('name'), {
    code: missing ? 'MQB_CONFIG_MISSING' : 'MQB_CONFIG_INVALID',
    what: missing ? 'name is required and is not set' : `expected a name, got ${describeValue(name, false)}`,
    mend: 'name what was registered in code',
    atKey: missing,
  })
  return undefined
}

export function reportCustomName(
  kind: 'endpoint' | 'middleware',
  name: string,
  config: Cursor,
  context: PlanContext,
  names: readonly string[],
): void {
  context.findings.error(config.child('name'), {
    code: kind === 'endpoint' ? 'MQB_CONFIG_UNKNOWN_ENDPOINT' : 'MQB_CONFIG_UNKNOWN_MIDDLEWARE',
    what: `no ${kind} is registered under the name ${JSON.stringify(name)}`,
    mend:
      suggest(name, names) === undefined
        ? `register it before the routes are loaded: ${kind === 'endpoint' ? 'registerEndpoint' : 'registerMiddleware'}(${JSON.stringify(name)}, …)`
        : suggestionText(name, names),
  })
}

function valueMend(value: unknown, side: Side): string {
  if (Array.isArray(value)) {
    return side === 'output'
      ? 'to write to several outputs, use fanout: [ … ]'
      : 'an input is one endpoint: make a route for each'
  }
  if (typeof value === 'string' && /^[a-z][a-z0-9+.-]*:/i.test(value)) {
    return `URIs are for the command line; ${example}`
  }
  return example
}

/** More than one key: a field that slipped out of its endpoint, a misspelt `middlewares`, or really two endpoints. */
function reportSeveral(names: readonly string[], cursor: Cursor, context: PlanContext): void {
  const { registry, findings } = context
  const isEndpoint = (name: string): boolean =>
    name === 'ref' ||
    name === 'custom' ||
    registry.endpoint(name) !== undefined ||
    registry.packageOf('endpoint', name) !== undefined
  const endpoints = names.filter(isEndpoint)
  const [kind] = endpoints
  if (kind === undefined) {
    reportNone(names, cursor, context)
    return
  }
  if (endpoints.length !== 1) {
    findings.error(cursor, {
      code: 'MQB_CONFIG_SEVERAL_ENDPOINTS',
      what: `an endpoint has one type, these keys name several: ${names.join(', ')}`,
      mend: 'keep one of them; fanout writes to several outputs',
      atKey: true,
    })
    return
  }
  const definition = registry.endpoint(kind)
  const fields = definition === undefined ? [] : [...fieldsOf(toZodSchema(definition.config)).keys()]
  for (const name of names) {
    if (name === kind) continue
    findings.error(cursor.child(name), {
      code: 'MQB_CONFIG_UNKNOWN_KEY',
      what: `the key ${JSON.stringify(name)} is not known beside the endpoint ${kind}`,
      mend: strayMend(name, kind, fields, registry.names('middleware')),
      atKey: true,
    })
  }
}

function reportNone(names: readonly string[], cursor: Cursor, { registry, findings }: PlanContext): void {
  const meant = names
    .map(name => ({ name, other: suggest(name, registry.names('endpoint')) }))
    .find(({ other }) => other !== undefined)
  findings.error(cursor, {
    code: 'MQB_CONFIG_UNKNOWN_ENDPOINT',
    what: `none of these keys names an endpoint: ${names.join(', ')}`,
    mend:
      meant === undefined
        ? 'put the fields below the name of the endpoint, for example: file: { path: "orders.jsonl" }'
        : `for ${JSON.stringify(meant.name)}, did you mean ${JSON.stringify(meant.other)}?`,
    atKey: true,
  })
}

function strayMend(
  name: string,
  kind: string,
  fields: readonly string[],
  middlewares: readonly string[],
): string {
  if (fields.includes(name)) return `indent it below ${kind}`
  if (suggest(name, ['middlewares']) !== undefined) return 'did you mean "middlewares"?'
  if (routeKeys.includes(name)) return 'it is an option of the route: move it out, beside input and output'
  if (middlewares.includes(name)) return `${name} is a middleware: put it into the list "middlewares"`
  const meant = suggest(name, fields)
  return meant === undefined
    ? `remove it, or indent it below ${kind}`
    : `did you mean ${JSON.stringify(meant)}? It belongs below ${kind}`
}
