import { JsonNumber, type JsonTree, readTree, writeTree } from '@mqb/json'

type Schema = Readonly<Record<string, unknown>>
class Refused extends Error {}

/** The slow way: read a tree, apply the schema to it by the book, print it. `undefined` when the document does not fit. */
export function slowly(
  schema: Schema,
  document: string,
  options: { coerce: boolean; defaults: boolean; emptyAsNull: boolean },
): JsonTree | undefined {
  try {
    return apply(schema, readTree(Buffer.from(document)), options)
  } catch (error) {
    if (error instanceof Refused || error instanceof SyntaxError) return undefined
    throw error
  }
}

type Options = Parameters<typeof slowly>[2]

function apply(schema: Schema, given: JsonTree, options: Options): JsonTree {
  const types = [schema.type ?? []].flat() as string[]
  const wanted = types.filter(type => type !== 'null')
  const nullable = schema.nullable === true || types.includes('null')
  let value = given === '' && options.emptyAsNull ? null : given
  if (value === null) {
    if (nullable) return null
    if (options.defaults && schema.default !== undefined)
      return apply(schema, treeFrom(schema.default), { ...options, emptyAsNull: false })
    if (types.length > 0) throw new Refused()
  }
  if (value !== null && types.length > 0 && wanted.length === 0) throw new Refused()
  value = coerced(value, wanted, options)
  if (schema.enum !== undefined && !(schema.enum as unknown[]).some(choice => same(treeFrom(choice), value)))
    throw new Refused()
  if (
    schema.contentMediaType === 'application/json' &&
    schema.contentEncoding === undefined &&
    typeof value === 'string'
  )
    return apply((schema.contentSchema ?? {}) as Schema, readTree(Buffer.from(value)), options)
  if (value instanceof Map) return object(schema, value as ReadonlyMap<string, JsonTree>, options)
  if (Array.isArray(value) && schema.items !== undefined)
    return value.map(element => apply(schema.items as Schema, element as JsonTree, options))
  return value
}

function object(schema: Schema, value: ReadonlyMap<string, JsonTree>, options: Options): JsonTree {
  const properties = (schema.properties ?? {}) as Record<string, Schema>
  const result = new Map(value)
  for (const [name, property] of Object.entries(properties)) {
    const member = value.get(name)
    if (member !== undefined) result.set(name, apply(property, member, options))
    else if (options.defaults && property.default !== undefined)
      result.set(name, apply(property, treeFrom(property.default), { ...options, emptyAsNull: false }))
  }
  for (const name of (schema.required ?? []) as string[]) if (!result.has(name)) throw new Refused()
  return result
}

function coerced(value: JsonTree, types: readonly string[], { coerce }: Options): JsonTree {
  if (types.length === 0 || types.some(type => isOf(value, type))) return value
  if (coerce && value instanceof JsonNumber && types.includes('string')) return value.text
  if (coerce && typeof value === 'string')
    for (const type of types) {
      if (type === 'integer' && /^-?(0|[1-9]\d*)$/.test(value)) return new JsonNumber(value)
      if (type === 'number' && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value))
        return new JsonNumber(value)
      if (type === 'boolean' && ['true', '1'].includes(value)) return true
      if (type === 'boolean' && ['false', '0'].includes(value)) return false
    }
  throw new Refused()
}

function isOf(value: JsonTree, type: string): boolean {
  if (type === 'integer') return value instanceof JsonNumber && Number.isInteger(Number(value.text))
  if (type === 'number') return value instanceof JsonNumber
  if (type === 'object') return value instanceof Map
  return type === 'array' ? Array.isArray(value) : typeof value === type
}

/** Numbers by value: small ones in these tests, so doubles do. */
export function same(one: JsonTree | undefined, other: JsonTree | undefined): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value: JsonTree | undefined): unknown {
  if (value instanceof JsonNumber) return Number(value.text)
  if (Array.isArray(value)) return value.map(element => sorted(element as JsonTree))
  if (value instanceof Map)
    return {
      members: [...(value as ReadonlyMap<string, JsonTree>)]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, member]) => [key, sorted(member)]),
    }
  return value === undefined ? 'absent' : value
}

const treeFrom = (value: unknown): JsonTree => readTree(Buffer.from(JSON.stringify(value)))

/** With every digit, and members in order of their names. */
export const printed = (value: JsonTree): string => writeTree(ordered(value))

function ordered(value: JsonTree): JsonTree {
  if (Array.isArray(value)) return value.map(element => ordered(element as JsonTree))
  if (!(value instanceof Map)) return value
  const members = [...(value as ReadonlyMap<string, JsonTree>)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return new Map(members.map(([key, member]) => [key, ordered(member)]))
}
