import { code, table } from './markdown.ts'
import { formsOf, type SchemaNode } from './schema.ts'

/** One row of a field table. */
export interface FieldRow {
  /** Dotted: `tls.ca_file`, `entries[].key`, `headers.*`. */
  readonly name: string
  readonly type: string
  readonly fallback: string
  readonly side: string
  readonly description: string
}

/** The table of a configuration, or what stands in its place when it has no fields. */
export function fieldTable(schema: SchemaNode): string {
  const { object, short } = formsOf(schema)
  const rows = object === undefined ? [] : fieldRows(object)
  const parts: string[] = []
  for (const form of short) parts.push(shortForm(form, rows.length > 0))
  if (rows.length > 0) {
    parts.push(
      table(
        ['Field', 'Type', 'Default', 'Side', 'Description'],
        rows.map(row => [code(row.name), row.type, row.fallback, row.side, row.description]),
      ),
    )
  } else if (short.length === 0) {
    parts.push('No fields: write `{}`.')
  }
  return parts.join('\n\n')
}

export function fieldRows(schema: SchemaNode, prefix = ''): FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const row: FieldRow = {
      name: path,
      type: typeOf(field),
      fallback: fallbackOf(field, schema.required?.includes(name) === true),
      side: field.side ?? '',
      description: descriptionOf(field),
    }
    return [row, ...nestedRows(field, path)]
  })
}

/** What a value may be, in words. */
export function typeOf(field: SchemaNode): string {
  if (field.endpoint !== undefined) return `${field.endpoint} endpoint`
  if (field.template === true) return 'template'
  if (field.expression === true) return 'expression'
  if (field.secret === true) return 'secret'
  if (field.const !== undefined) return code(field.const)
  if (field.enum !== undefined) return field.enum.map(code).join(', ')
  const alternatives = field.anyOf ?? field.oneOf
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeOf))].join(' or ')
  if (Array.isArray(field.type)) return field.type.join(' or ')
  switch (field.type) {
    case 'integer':
    case 'number':
      return `${field.type}${bounds(field)}`
    case 'string':
      return 'text'
    case 'array':
      return field.items === undefined ? 'list' : `list of ${typeOf(field.items)}`
    case 'object':
      return typeof field.additionalProperties === 'object' && field.properties === undefined
        ? `map of ${typeOf(field.additionalProperties)}`
        : 'object'
    case undefined:
      return 'any value'
    default:
      return String(field.type)
  }
}

function nestedRows(field: SchemaNode, path: string): FieldRow[] {
  const alternatives = field.anyOf ?? field.oneOf
  if (alternatives !== undefined) return alternatives.flatMap(each => nestedRows(each, path))
  if (field.properties !== undefined) return fieldRows(field, `${path}.`)
  if (field.items !== undefined) return nestedRows(field.items, `${path}[]`)
  if (typeof field.additionalProperties === 'object')
    return nestedRows(field.additionalProperties, `${path}.*`)
  return []
}

function fallbackOf(field: SchemaNode, required: boolean): string {
  if (field.default !== undefined) return code(field.default)
  if (field.defaultFrom === 'route') return 'from the route name'
  return required ? 'required' : ''
}

function descriptionOf(field: SchemaNode): string {
  const examples = field.secret === true ? [] : (field.examples ?? [])
  const shown = examples.length === 0 ? '' : `E.g. ${examples.map(code).join(', ')}.`
  return [field.description ?? '', shown].filter(part => part !== '').join(' ')
}

function shortForm(form: SchemaNode, hasFields: boolean): string {
  const text = descriptionOf(form)
  const what = form.type === 'null' ? 'nothing (a YAML null)' : typeOf(form)
  return `${hasFields ? 'Short form' : 'Value'}: ${what}${text === '' ? '.' : `. ${text}`}`
}

/** Bounds that a person set; the limits of safe integers say nothing. */
function bounds(field: SchemaNode): string {
  const low = field.minimum ?? field.exclusiveMinimum
  const lowest = low === undefined || low === Number.MIN_SAFE_INTEGER ? undefined : low
  const high = field.maximum ?? field.exclusiveMaximum
  const highest = high === undefined || high === Number.MAX_SAFE_INTEGER ? undefined : high
  const lowSign = field.exclusiveMinimum === undefined ? '≥' : '>'
  const highSign = field.exclusiveMaximum === undefined ? '≤' : '<'
  const parts = [
    ...(lowest === undefined ? [] : [`${lowSign} ${lowest}`]),
    ...(highest === undefined ? [] : [`${highSign} ${highest}`]),
  ]
  return parts.length === 0 ? '' : ` ${parts.join(', ')}`
}
