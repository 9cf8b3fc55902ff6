import type * as z from 'zod'
import type { PathPart } from '../path.ts'
import type { NestedFinding } from '../planner-slot.ts'
import type { Findings, FindingText } from '../problems.ts'
import { suggest, suggestionText } from '../suggest.ts'
import type { Cursor } from '../tree/cursor.ts'
import { isMap } from '../tree/origins.ts'
import { describeExpected, describeShapes, describeValue, exampleOf, joinOr, mayShow } from './describe.ts'
import { boundText } from './issue-bounds.ts'
import { bestVariant } from './issue-union.ts'
import { fieldsOf, requiredFields, type Schema, schemaAt, type ValueShape } from './walk.ts'

export type Issue = z.core.$ZodIssue

/** What the schema's own texts are told from: an issue with this message has none. */
export const noText = '\u0000'

/** Turns what zod found into findings with our words, at the places where they are written. */
export function reportIssues(
  issues: readonly Issue[],
  cursor: Cursor,
  schema: Schema,
  findings: Findings,
): void {
  const meant = meantKeys(issues, cursor, schema)
  for (const issue of issues) {
    if (meant.has(JSON.stringify(issue.path)) && cursor.at(issue.path as PathPart[]).value === undefined)
      continue
    reportIssue(issue, cursor, schema, findings)
  }
}

/** The keys that misspelt ones stand for: that they are missing would be the same thing said twice. */
function meantKeys(issues: readonly Issue[], cursor: Cursor, schema: Schema): Set<string> {
  const meant = new Set<string>()
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue
    const path = issue.path as PathPart[]
    const field = schemaAt(schema, path)
    const written = cursor.at(path).value
    const free = [...(field === undefined ? [] : fieldsOf(field).keys())].filter(
      name => !isMap(written) || !Object.hasOwn(written, name),
    )
    for (const key of issue.keys) {
      const name = suggest(key, free)
      if (name !== undefined) meant.add(JSON.stringify([...path, name]))
    }
  }
  return meant
}

function reportIssue(issue: Issue, cursor: Cursor, schema: Schema, findings: Findings): void {
  const path = issue.path as PathPart[]
  const at = cursor.at(path)
  if (at.origin.reported === true) return
  const field = schemaAt(schema, path)
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) reportUnknownKey(at.child(key), at, key, field, findings)
    return
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const variant = bestVariant(issue, at.value)
    if (variant !== undefined) {
      const prefixed = variant.map(inner => ({ ...inner, path: [...path, ...inner.path] }))
      reportIssues(prefixed, cursor, schema, findings)
      return
    }
  }
  const nested = nestedFinding(issue)
  if (nested !== undefined) findings.error(nested.cursor ?? at, nested)
  else findings.error(at, describeIssue(issue, at, path, field))
}

/** A finding that a field of ours has put through zod. */
function nestedFinding(issue: Issue): NestedFinding | undefined {
  if (issue.code !== 'custom') return undefined
  return issue.params?.finding as NestedFinding | undefined
}

function describeIssue(
  issue: Issue,
  at: Cursor,
  path: readonly PathPart[],
  field: Schema | undefined,
): FindingText {
  const { value } = at
  const name = path.at(-1) ?? at.path.at(-1)
  const example = exampleOf(typeof name === 'string' ? name : undefined, field)
  const kind = field === undefined ? 'a value' : describeExpected(field)
  const add = example === undefined ? `add it: ${kind}` : `add it, ${example}`
  const change = example ?? `write ${kind} here`
  if (value === undefined) {
    return {
      code: 'MQB_CONFIG_MISSING',
      what: `${missingName(path)} is required and is not set`,
      mend: add,
      atKey: true,
    }
  }
  const got = `got ${describeValue(value, mayShow(field, at.origin))}`
  const own = issue.message === noText ? undefined : issue.message
  if (own !== undefined) {
    const shown =
      value === '' && example !== undefined ? `add one, ${example}` : (example ?? `write ${kind} here`)
    const mend = ownMend(issue) ?? shown
    return invalid(own.startsWith('expected ') ? `${own}, ${got}` : own, mend)
  }
  switch (issue.code) {
    case 'invalid_type':
      return invalid(`expected ${expectedType(issue, field)}, ${got}`, typeMend(issue, value, change))
    case 'too_small':
    case 'too_big':
    case 'not_multiple_of':
      return invalid(`expected ${boundText(issue)}, ${got}`, change)
    case 'invalid_value':
      return invalid(
        `expected ${joinOr(issue.values.map(literalText))}, ${got}`,
        valueMend(issue.values, value, change),
      )
    case 'invalid_format':
      return invalid(`expected ${formatName(issue)}, ${got}`, change)
    case 'invalid_key':
      return {
        ...invalid(`the key ${JSON.stringify(name)} cannot be used here`, keyMend(issue)),
        atKey: true,
      }
    case 'invalid_union':
      return invalid(
        `expected ${field === undefined ? 'another value' : describeExpected(field)}, ${got}`,
        change,
      )
    default:
      return invalid(`this value cannot be used: ${got}`, change)
  }
}

/** A schema may say how to mend what it refuses: `.check()` with `params: { mend }`. */
function ownMend(issue: Issue): string | undefined {
  const mend = issue.code === 'custom' ? issue.params?.mend : undefined
  return typeof mend === 'string' ? mend : undefined
}

function invalid(what: string, mend: string): FindingText {
  return { code: 'MQB_CONFIG_INVALID', what, mend }
}

function missingName(path: readonly PathPart[]): string {
  const name = path.at(-1)
  if (name === undefined) return 'a value'
  return typeof name === 'number' ? `entry ${name}` : name
}

const typeShapes: Record<string, ValueShape> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  object: 'map',
  record: 'map',
  array: 'list',
  tuple: 'list',
  null: 'null',
}

function expectedType(issue: Issue & { code: 'invalid_type' }, field: Schema | undefined): string {
  if (issue.expected === 'int') return 'a whole number'
  const shape = typeShapes[issue.expected]
  if (shape !== undefined) return describeShapes([shape])
  return field === undefined ? 'another value' : describeExpected(field)
}

function typeMend(issue: Issue & { code: 'invalid_type' }, value: unknown, change: string): string {
  const { expected } = issue
  if (expected === 'array' && value !== null && typeof value !== 'object') return 'write it as a list: [ … ]'
  if (expected === 'boolean' && typeof value === 'string' && /^(yes|no|on|off)$/i.test(value)) {
    return `write ${/^(yes|on)$/i.test(value) ? 'true' : 'false'}`
  }
  const quoted = typeof value === 'string'
  if (
    (expected === 'number' || expected === 'int') &&
    quoted &&
    value.trim() !== '' &&
    Number.isFinite(Number(value))
  ) {
    return 'write it without quotes'
  }
  if (expected === 'boolean' && (value === 'true' || value === 'false')) return 'write it without quotes'
  if (expected === 'string' && value === null) return 'write the text, or remove the key'
  return change
}

function valueMend(values: readonly unknown[], written: unknown, change: string): string {
  const names = values.filter(value => typeof value === 'string')
  if (typeof written !== 'string' || written === '' || names.length === 0) return change
  const text = suggestionText(written, names, 'values')
  return text.startsWith('did you mean') ? text : change
}

function literalText(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

const formats: Record<string, string> = {
  url: 'a URL such as "https://host:443/"',
  uuid: 'a UUID',
  email: 'an e-mail address',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  base64: 'base64 text',
  datetime: 'a time such as "2026-01-31T12:00:00Z"',
  duration: 'a duration such as "PT5S"',
}

function formatName(issue: Issue & { code: 'invalid_format' }): string {
  const { format, pattern, prefix, suffix, includes } = issue as typeof issue & Record<string, unknown>
  if (format === 'regex') return `a text that matches ${pattern ?? 'a pattern'}`
  if (format === 'starts_with') return `a text that begins with ${JSON.stringify(prefix)}`
  if (format === 'ends_with') return `a text that ends with ${JSON.stringify(suffix)}`
  if (format === 'includes') return `a text with ${JSON.stringify(includes)} in it`
  return formats[issue.format] ?? `a text in the format ${issue.format}`
}

function keyMend(issue: Issue & { code: 'invalid_key' }): string {
  const inner = issue.issues[0]
  if (inner === undefined) return 'choose another key'
  if (inner.message !== noText) return inner.message
  if (inner.code === 'invalid_format') return `write ${formatName(inner)}`
  if (inner.code === 'invalid_value') return `known keys: ${inner.values.map(String).join(', ')}`
  return 'choose another key'
}

function reportUnknownKey(
  at: Cursor,
  parent: Cursor,
  key: string,
  schema: Schema | undefined,
  findings: Findings,
): void {
  if (at.origin.reported === true) return
  const fields = schema === undefined ? new Map<string, Schema>() : fieldsOf(schema)
  const written = isMap(parent.value) ? Object.keys(parent.value) : []
  const free = [...fields.keys()].filter(name => !written.includes(name))
  findings.error(at, {
    code: 'MQB_CONFIG_UNKNOWN_KEY',
    what: `the key ${JSON.stringify(key)} is not known here`,
    mend: unknownKeyMend(key, free, fields),
    atKey: true,
  })
}

function unknownKeyMend(key: string, free: readonly string[], fields: ReadonlyMap<string, Schema>): string {
  if (key === '<<') return 'merge keys are not part of YAML 1.2: write the entries out'
  const text = suggestionText(key, free)
  if (text.startsWith('did you mean')) return text
  // A key that belongs one level deeper, or one that has a near neighbour which is written already.
  for (const [name, field] of fields) if (fieldsOf(field).has(key)) return `move it into ${name}`
  return suggestionText(key, [...fields.keys()])
}

/** Required fields that a map lacks: for the finding about a component without any configuration. */
export function missingFields(schema: Schema, value: unknown): string[] {
  const written = isMap(value) ? Object.keys(value) : []
  return requiredFields(schema).filter(name => !written.includes(name))
}
