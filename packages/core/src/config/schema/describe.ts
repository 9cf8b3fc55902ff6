import type { Origin } from '../tree/origins.ts'
import { isMap } from '../tree/origins.ts'
import { defaultOf, metaOf, type Schema, shapesOf, type ValueShape } from './walk.ts'

const shapeNames: Record<ValueShape, string> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  map: 'a map',
  list: 'a list',
  null: 'nothing',
  any: 'a value',
}

/** `a text`, `a number or a text`. */
export function describeShapes(shapes: Iterable<ValueShape>): string {
  return joinOr([...shapes].map(shape => shapeNames[shape]))
}

export function joinOr(parts: readonly string[]): string {
  if (parts.length <= 1) return parts.join('')
  return `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`
}

/** Whether the value of a field may stand in a message: no secrets, nothing that may hold a password. */
export function mayShow(schema: Schema | undefined, origin: Origin): boolean {
  if (origin.fromEnvironment === true) return false
  if (schema === undefined) return true
  const meta = metaOf(schema)
  return meta.secret !== true && meta.uri !== 'url' && meta.endpoint === undefined
}

/** `the number 5`, `an empty text`, `a list`. Only scalars are shown, and only where they may be. */
export function describeValue(value: unknown, show: boolean): string {
  if (value === null || value === undefined) return 'nothing'
  if (value === '') return 'an empty text'
  if (typeof value === 'string') return show ? `the text ${quote(value)}` : 'a text'
  if (typeof value === 'number' || typeof value === 'bigint') return show ? `the number ${value}` : 'a number'
  if (typeof value === 'boolean') return show ? String(value) : 'true or false'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (isMap(value)) return Object.keys(value).length === 0 ? 'an empty map' : 'a map'
  return `a value of type ${typeof value}`
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text)
}

/** `for example: url: "nats://localhost:4222"`, from the examples of the field or made up from its type. */
export function exampleOf(name: string | undefined, schema: Schema | undefined): string | undefined {
  if (schema === undefined) return undefined
  const written = exampleValue(schema)
  if (written === undefined) return undefined
  return `for example: ${name === undefined ? '' : `${name}: `}${written}`
}

function exampleValue(schema: Schema): string | undefined {
  const meta = metaOf(schema)
  const example = meta.examples?.[0]
  if (example !== undefined) return toFlowYaml(example)
  const preset = defaultOf(schema)
  if (preset !== undefined && preset !== '' && typeof preset !== 'object') return toFlowYaml(preset)
  if (meta.endpoint === 'input') return '{ file: { path: "in.jsonl" } }'
  if (meta.endpoint === 'output') return '{ file: { path: "out.jsonl" } }'
  return undefined
}

/** JSON, which is YAML too, with keys as people write them. */
export function toFlowYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toFlowYaml).join(', ')}]`
  if (isMap(value)) {
    const entries = Object.entries(value).map(([key, entry]) => `${plainKey(key)}: ${toFlowYaml(entry)}`)
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
  }
  return JSON.stringify(value) ?? 'null'
}

function plainKey(key: string): string {
  return /^[A-Za-z_][\w-]*$/.test(key) && !['null', 'true', 'false'].includes(key) ? key : JSON.stringify(key)
}

/** What a user may write for a field: `a text or a list`. */
export function describeExpected(schema: Schema): string {
  return describeShapes(shapesOf(schema))
}
