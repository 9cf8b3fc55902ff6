import type { ConfigSchema } from '@mqb/core'
import * as z from 'zod'

/** The parts of JSON Schema that the pages show, with the marks that fields of mqb carry. */
export interface SchemaNode {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | SchemaNode
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
  readonly oneOf?: readonly SchemaNode[]
  readonly allOf?: readonly SchemaNode[]
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, SchemaNode>>
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly side?: string
  readonly secret?: boolean
  readonly endpoint?: string
  readonly template?: boolean
  readonly expression?: boolean
  readonly defaultFrom?: string
}

/** The JSON Schema of a configuration as a user writes it: before defaults and transforms. */
export function schemaOf(config: ConfigSchema<unknown>): SchemaNode {
  if (!(config instanceof z.ZodType)) return config as SchemaNode
  return z.toJSONSchema(config, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as SchemaNode
}

/** The object form of a configuration, and its short forms (a bare text or list) where it has some. */
export function formsOf(schema: SchemaNode): { object: SchemaNode | undefined; short: SchemaNode[] } {
  const alternatives = flatten(schema)
  return {
    object: mergeObjects(alternatives.filter(isObjectForm)),
    short: alternatives.filter(each => !isObjectForm(each)),
  }
}

/** Fields, in the order of their declaration. */
export function isObjectForm(schema: SchemaNode): boolean {
  return schema.properties !== undefined
}

function flatten(schema: SchemaNode): SchemaNode[] {
  const alternatives = schema.anyOf ?? schema.oneOf
  return alternatives === undefined ? [schema] : alternatives.flatMap(flatten)
}

/** Several object forms are shown as one; a field that not every form requires is optional there. */
function mergeObjects(forms: readonly SchemaNode[]): SchemaNode | undefined {
  const [first, ...rest] = forms
  if (first === undefined || rest.length === 0) return first
  return {
    ...first,
    properties: Object.assign({}, ...forms.map(form => form.properties)) as Record<string, SchemaNode>,
    required: (first.required ?? []).filter(name => rest.every(form => form.required?.includes(name))),
  }
}
