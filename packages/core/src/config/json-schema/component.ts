import * as z from 'zod'
import type { ConfigSchema, JsonSchema } from '../../contract/plugin.ts'
import { metaOf, type Schema } from '../schema/walk.ts'

export type SchemaNode = Record<string, unknown>

/** Our own metadata: told in other words, not as keywords that no JSON Schema has. */
const ownKeys = ['endpoint', 'side', 'uri', 'secret', 'template', 'expression', 'defaultFrom'] as const

/**
 * The JSON Schema of what a user writes for one component.
 *
 * @param key under which it stands in `$defs`; its own definitions are moved there too, with the key in front.
 */
export function componentSchema(config: ConfigSchema<unknown>, key: string): Record<string, SchemaNode> {
  const schema =
    '_zod' in config ? fromZod(config as Schema) : (structuredClone(config as JsonSchema) as SchemaNode)
  const { $schema: _, $defs, definitions, $id: __, ...root } = schema
  const definitions_ = { ...(definitions as object), ...($defs as object) } as Record<string, SchemaNode>
  const moved: Record<string, SchemaNode> = { [key]: root }
  for (const [name, node] of Object.entries(definitions_)) moved[`${key}.${name}`] = node
  return rewriteRefs(moved, key) as Record<string, SchemaNode>
}

export function fromZod(schema: Schema): SchemaNode {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: markOwnKinds }) as SchemaNode
}

function markOwnKinds({ zodSchema, jsonSchema }: { zodSchema: Schema; jsonSchema: object }): void {
  const node = jsonSchema as SchemaNode
  const meta = metaOf(zodSchema)
  for (const key of ownKeys) delete node[key]
  if (meta.endpoint !== undefined) node.$ref = endpointRef(meta.endpoint)
  if (meta.secret === true) node.writeOnly = true
  if (meta.template === true) node['x-mqb-template'] = true
  if (meta.expression === true) node['x-mqb-expression'] = true
  if (meta.uri !== undefined) node['x-mqb-uri'] = meta.uri
  if (meta.side !== undefined) node['x-mqb-side'] = meta.side
  if (meta.defaultFrom !== undefined) node['x-mqb-default-from'] = meta.defaultFrom
}

export function endpointRef(side: string): string {
  return `#/$defs/${side}`
}

function rewriteRefs(node: unknown, key: string): unknown {
  if (Array.isArray(node)) return node.map(item => rewriteRefs(item, key))
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([name, value]) => {
    const isRef = name === '$ref' && typeof value === 'string'
    return [name, isRef ? moveRef(value, key) : rewriteRefs(value, key)]
  })
  return Object.fromEntries(entries)
}

function moveRef(ref: string, key: string): string {
  if (ref === endpointRef('input') || ref === endpointRef('output')) return ref
  if (ref === '#') return `#/$defs/${key}`
  return ref.replace(/^#\/(?:\$defs|definitions)\//, `#/$defs/${key}.`)
}
