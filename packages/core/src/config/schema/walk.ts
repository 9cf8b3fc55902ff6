import * as z from 'zod'
import type { ConfigSchema, JsonSchema } from '../../contract/plugin.ts'
import type { UriHint } from '../meta.ts'
import type { PathPart } from '../path.ts'

export type Schema = z.core.$ZodType

type Definition = z.core.$ZodTypes['_zod']['def']

const converted = new WeakMap<object, Schema>()

/** A zod schema as it is, of whichever copy of zod; plain JSON Schema is converted once. */
export function toZodSchema(config: ConfigSchema<unknown>): Schema {
  if ('_zod' in config) return config as Schema
  const known = converted.get(config)
  if (known !== undefined) return known
  const schema = z.fromJSONSchema(config as JsonSchema as z.core.JSONSchema.JSONSchema)
  converted.set(config, schema)
  return schema
}

function definitionOf(schema: Schema): Definition {
  return (schema as z.core.$ZodTypes)._zod.def
}

/** What is inside `.optional()`, `.default()`, `.transform()` and the like: the schema of what a user writes. */
export function unwrap(schema: Schema): Schema {
  for (let current = schema; ; ) {
    const inner = inside(current)
    if (inner === undefined) return current
    current = inner
  }
}

function inside(schema: Schema): Schema | undefined {
  const definition = definitionOf(schema)
  switch (definition.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return definition.innerType
    case 'pipe':
      return definitionOf(definition.in).type === 'transform' ? definition.out : definition.in
    case 'lazy':
      return definition.getter()
    default:
      return undefined
  }
}

/** The metadata of a field, gathered through its wrappers; what stands outermost wins. */
export function metaOf(schema: Schema): z.GlobalMeta {
  let meta: z.GlobalMeta = {}
  for (let current: Schema | undefined = schema; current !== undefined; current = inside(current)) {
    const own = (z.globalRegistry.get(current) ?? {}) as z.GlobalMeta
    meta = { ...own, ...meta }
  }
  if (meta.uri === undefined && typeof meta['x-mqb-uri'] === 'string') {
    meta.uri = meta['x-mqb-uri'] as UriHint
  }
  if (meta.secret === undefined && meta.writeOnly === true) meta.secret = true
  return meta
}

/** What a field is when it is left out. */
export function defaultOf(schema: Schema): unknown {
  for (let current: Schema | undefined = schema; current !== undefined; current = inside(current)) {
    const definition = definitionOf(current)
    if (definition.type === 'default' || definition.type === 'prefault') return definition.defaultValue
  }
  return undefined
}

/** The named fields of an object schema; those of all variants where there are several. */
export function fieldsOf(schema: Schema): Map<string, Schema> {
  const fields = new Map<string, Schema>()
  const inner = unwrap(schema)
  const definition = definitionOf(inner)
  if (definition.type === 'object') {
    for (const [name, field] of Object.entries(definition.shape)) fields.set(name, field)
  } else if (definition.type === 'union') {
    for (const option of definition.options) {
      for (const [name, field] of fieldsOf(option)) if (!fields.has(name)) fields.set(name, field)
    }
  } else if (definition.type === 'intersection') {
    for (const part of [definition.left, definition.right]) {
      for (const [name, field] of fieldsOf(part)) fields.set(name, field)
    }
  }
  return fields
}

/** The variants of a union, the schema itself otherwise; without wrappers. */
export function variantsOf(schema: Schema): Schema[] {
  const inner = unwrap(schema)
  const definition = definitionOf(inner)
  return definition.type === 'union' ? definition.options.flatMap(variantsOf) : [inner]
}

/** What a user may write: `string`, `number`, `boolean`, `map`, `list`, `null`, or `any`. */
export type ValueShape = 'string' | 'number' | 'boolean' | 'map' | 'list' | 'null' | 'any'

export function shapesOf(schema: Schema): Set<ValueShape> {
  const shapes = new Set<ValueShape>(variantsOf(schema).flatMap(shapesOfVariant))
  if (acceptsNull(schema)) shapes.add('null')
  return shapes
}

function shapesOfVariant(schema: Schema): ValueShape[] {
  const definition = definitionOf(schema)
  switch (definition.type) {
    case 'string':
    case 'template_literal':
      return ['string']
    case 'number':
    case 'bigint':
      return ['number']
    case 'boolean':
      return ['boolean']
    case 'object':
    case 'record':
    case 'map':
      return ['map']
    case 'array':
    case 'tuple':
    case 'set':
      return ['list']
    case 'null':
      return ['null']
    case 'enum':
      return Object.values(definition.entries).map(value => typeof value as 'string' | 'number')
    case 'literal':
      return definition.values.map(value => (value === null ? 'null' : (typeof value as ValueShape)))
    case 'intersection':
      return [...shapesOf(definition.left)]
    default:
      return ['any']
  }
}

function acceptsNull(schema: Schema): boolean {
  for (let current: Schema | undefined = schema; current !== undefined; current = inside(current)) {
    if (definitionOf(current).type === 'nullable') return true
  }
  return false
}

/** The schema of an entry of a map or list; `undefined` where the schema knows none of that name. */
export function schemaOfEntry(schema: Schema, key: PathPart): Schema | undefined {
  for (const variant of variantsOf(schema)) {
    const definition = definitionOf(variant)
    switch (definition.type) {
      case 'object': {
        const field = typeof key === 'string' ? fieldsOf(variant).get(key) : undefined
        if (field !== undefined) return field
        break
      }
      case 'record':
        if (typeof key === 'string') return definition.valueType
        break
      case 'array':
        if (typeof key === 'number') return definition.element
        break
      case 'intersection': {
        const found = schemaOfEntry(definition.left, key) ?? schemaOfEntry(definition.right, key)
        if (found !== undefined) return found
        break
      }
      default:
    }
  }
  return undefined
}

export function schemaAt(schema: Schema, path: readonly PathPart[]): Schema | undefined {
  let current: Schema | undefined = schema
  for (const part of path) {
    if (current === undefined) return undefined
    current = schemaOfEntry(current, part)
  }
  return current
}

/** The fields that have to be written. */
export function requiredFields(schema: Schema): string[] {
  return [...fieldsOf(schema)].filter(([, field]) => field._zod.optin === undefined).map(([name]) => name)
}

/** Whether any key may be written: the names are the user's. */
export function isOpenMap(schema: Schema): boolean {
  return variantsOf(schema).some(variant => definitionOf(variant).type === 'record')
}
