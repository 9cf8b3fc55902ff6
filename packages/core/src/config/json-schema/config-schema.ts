import type { Side } from '../../contract/capabilities.ts'
import type { EndpointDefinition, MiddlewareDefinition } from '../../contract/plugin.ts'
import type { Registry } from '../../registry/index.ts'
import { appSettingsSchema } from '../document/app-settings.ts'
import type { consumerKeys, consumerModes, publisherKeys } from '../document/consumers.ts'
import { routeOptionsSchema } from '../route-options.ts'
import { requiredFields, shapesOf, toZodSchema } from '../schema/walk.ts'
import { componentSchema, endpointRef, fromZod, type SchemaNode } from './component.ts'

const sides: readonly Side[] = ['input', 'output']

/**
 * The JSON Schema (draft 2020-12) of a configuration file with everything that is registered: what `validate` accepts,
 * as far as JSON Schema can say it. Plain data, made anew at each call.
 */
export function configSchema(registry: Registry): SchemaNode {
  const endpoints = new Map(registry.names('endpoint').map(name => [name, registry.endpoint(name)!]))
  const middlewares = new Map(registry.names('middleware').map(name => [name, registry.middleware(name)!]))
  const definitions: Record<string, SchemaNode> = {}
  for (const [name, definition] of endpoints)
    Object.assign(definitions, endpointDefinitions(name, definition))
  for (const [name, definition] of middlewares) {
    Object.assign(
      definitions,
      describe(componentSchema(definition.config, `middleware.${name}`), definition, `middleware.${name}`),
    )
  }
  for (const side of sides) {
    definitions[side] = endpointSchema(side, endpoints)
    definitions[`${side}_middlewares`] = middlewareList(side, middlewares)
  }
  definitions.route = routeSchema()
  definitions.app = appSchema()
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'mqb configuration',
    anyOf: [
      { $ref: '#/$defs/app' },
      bareRouteSchema(),
      {
        type: 'object',
        description: 'An exported configuration.',
        properties: { config: { $ref: '#/$defs/app' } },
        required: ['config'],
        additionalProperties: false,
      },
    ],
    $defs: definitions,
  }
}

function endpointDefinitions(name: string, definition: EndpointDefinition): Record<string, SchemaNode> {
  const key = `endpoint.${name}`
  const parts = describe(componentSchema(definition.config, key), definition, key)
  if (definition.structural === true) parts[key]!.format = 'structural_endpoint'
  return parts
}

function describe(
  parts: Record<string, SchemaNode>,
  definition: EndpointDefinition | MiddlewareDefinition,
  key: string,
): Record<string, SchemaNode> {
  const root = parts[key]!
  parts[key] = {
    description: definition.summary,
    ...root,
    examples: definition.examples.map(example => example.config),
  }
  return parts
}

/** One key that names the type, and the middlewares. */
function endpointSchema(side: Side, endpoints: ReadonlyMap<string, EndpointDefinition>): SchemaNode {
  const properties: Record<string, SchemaNode> = {
    middlewares: { $ref: `#/$defs/${side}_middlewares` },
    ref: { type: 'string', description: 'The name of a publisher, or of an endpoint registered in code.' },
    custom: {
      type: 'object',
      description: 'An endpoint registered in code.',
      properties: { name: { type: 'string' }, config: {} },
      required: ['name'],
      additionalProperties: false,
    },
  }
  for (const [name, definition] of endpoints) {
    const serves = side === 'input' ? definition.openConsumer : definition.openPublisher
    if (serves === undefined) continue
    properties[name] =
      name === 'null'
        ? { type: 'null', description: definition.summary }
        : orNothing(`#/$defs/endpoint.${name}`, definition)
  }
  return {
    description:
      side === 'input' ? 'Where messages come from.' : 'Where messages go to; nothing discards them.',
    type: side === 'input' ? 'object' : ['object', 'null'],
    properties,
    additionalProperties: false,
    if: { required: ['middlewares'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { maxProperties: 2 },
    else: { maxProperties: 1 },
  }
}

/** A component of which nothing has to be configured may be written with nothing behind its name. */
function orNothing(ref: string, definition: EndpointDefinition | MiddlewareDefinition): SchemaNode {
  return standsAlone(definition) ? { anyOf: [{ $ref: ref }, { type: 'null' }] } : { $ref: ref }
}

function standsAlone(definition: EndpointDefinition | MiddlewareDefinition): boolean {
  const schema = toZodSchema(definition.config)
  return shapesOf(schema).has('map') && requiredFields(schema).length === 0
}

function middlewareList(side: Side, middlewares: ReadonlyMap<string, MiddlewareDefinition>): SchemaNode {
  const properties: Record<string, SchemaNode> = {
    custom: {
      type: 'object',
      description: 'A middleware registered in code.',
      properties: { name: { type: 'string' }, config: {} },
      required: ['name'],
      additionalProperties: false,
    },
  }
  const bareNames: string[] = []
  for (const [name, definition] of middlewares) {
    const serves = side === 'input' ? definition.wrapConsumer : definition.wrapPublisher
    if (serves === undefined) continue
    properties[name] = orNothing(`#/$defs/middleware.${name}`, definition)
    if (standsAlone(definition)) bareNames.push(name)
  }
  const one: SchemaNode = {
    type: 'object',
    properties,
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
  }
  return {
    description:
      side === 'input'
        ? 'The last one sees a message first.'
        : 'The last one is outermost and sees a message first.',
    type: ['array', 'null'],
    items: bareNames.length === 0 ? one : { anyOf: [one, { enum: bareNames }] },
  }
}

function routeProperties(): Record<string, unknown> {
  const { properties } = fromZod(routeOptionsSchema)
  return {
    input: { $ref: endpointRef('input') },
    output: { $ref: endpointRef('output') },
    ...(properties as object),
  }
}

function routeSchema(): SchemaNode {
  return { type: 'object', properties: routeProperties(), required: ['input'], additionalProperties: false }
}

function settingProperties(): Record<string, unknown> {
  const { properties } = fromZod(appSettingsSchema)
  return properties as Record<string, unknown>
}

/** Settings, `routes`, and routes by name beside them. */
function appSchema(): SchemaNode {
  return {
    type: 'object',
    properties: {
      ...settingProperties(),
      routes: { type: ['object', 'null'], additionalProperties: { $ref: '#/$defs/route' } },
      publishers: {
        description: 'Outputs by name, for ref.',
        anyOf: [
          { type: 'object', additionalProperties: { $ref: endpointRef('output') } },
          { type: 'array', items: publisherSchema() },
          { type: 'null' },
        ],
      },
      consumers: { type: ['array', 'null'], items: consumerSchema() },
    },
    additionalProperties: { $ref: '#/$defs/route' },
    // A bare route has an input at the top, and is no map of routes.
    not: { required: ['input'] },
  }
}

// The compiler sees to it that each key that is read has a schema, and no other.
type Properties<Key extends string> = Readonly<Record<Key, SchemaNode>>

const isNamed: readonly SchemaNode[] = [{ required: ['name'] }, { required: ['id'] }]

function publisherSchema(): SchemaNode {
  const properties: Properties<(typeof publisherKeys)[number]> = {
    id: { type: 'string' },
    name: { type: 'string' },
    comment: { type: 'string' },
    sort_order: { type: 'number' },
    endpoint: { $ref: endpointRef('output') },
    payload: {},
    headers: { type: 'array' },
  }
  return { type: 'object', properties, required: ['endpoint'], anyOf: isNamed, additionalProperties: false }
}

function consumerSchema(): SchemaNode {
  const { input: _, output: __, ...options } = routeProperties()
  const properties: Properties<(typeof consumerKeys)[number]> = {
    id: { type: 'string' },
    name: { type: 'string' },
    comment: { type: 'string' },
    endpoint: { $ref: endpointRef('input') },
    output: { anyOf: [{ type: 'null' }, ...modeSchemas()] },
    message_capture: { type: 'object' },
  }
  return {
    type: 'object',
    properties: { ...properties, ...options },
    required: ['endpoint'],
    anyOf: isNamed,
    additionalProperties: false,
  }
}

function modeSchemas(): SchemaNode[] {
  const modes: { [Mode in keyof typeof consumerModes]: Properties<(typeof consumerModes)[Mode][number]> } = {
    none: {},
    publisher: { publisher: { type: 'string' }, publisher_id: { type: 'string' } },
    // Only that nothing is set: consumers do not answer with fixed values.
    response: { headers: { type: ['array', 'null'], maxItems: 0 }, payload: { enum: ['', null] } },
  }
  return Object.entries(modes).map(([mode, properties]) => ({
    type: 'object',
    properties: { mode: { const: mode }, ...properties },
    required: ['mode'],
    additionalProperties: false,
  }))
}

function bareRouteSchema(): SchemaNode {
  return {
    type: 'object',
    description: 'One route, with the settings beside it.',
    properties: { ...settingProperties(), ...routeProperties() },
    required: ['input'],
    additionalProperties: false,
  }
}
