import * as z from 'zod'
import type { PathPart } from '../path.ts'
import { type NestedPlanner, withPlanner } from '../planner-slot.ts'
import { type Findings, faultFinding } from '../problems.ts'
import type { Cursor } from '../tree/cursor.ts'
import { type Issue, noText, reportIssues } from './issues.ts'
import type { Schema } from './walk.ts'

/**
 * Validates the value at a cursor. Where the schema wants text and the file has another scalar, the characters of the
 * file are taken; where it wants a number or a truth value and the text came from the environment, that is read.
 *
 * @returns what the schema made of it, or `undefined` after telling `findings` what is wrong.
 */
export function parseAt(
  schema: Schema,
  cursor: Cursor,
  planner: NestedPlanner,
  findings: Findings,
): { readonly value: unknown } | undefined {
  const tried = new Set<string>()
  for (;;) {
    const result = runSchema(schema, cursor, planner, findings)
    if (result === undefined) return undefined
    if (result.success) return reportLostKeys(cursor, findings) ? undefined : { value: result.data }
    if (!substituteAll(result.error.issues, cursor, tried)) {
      reportIssues(result.error.issues, cursor, schema, findings)
      return undefined
    }
  }
}

function runSchema(schema: Schema, cursor: Cursor, planner: NestedPlanner, findings: Findings) {
  try {
    return withPlanner(planner, () => z.core.safeParse(schema, cursor.value, { error: () => noText }))
  } catch (error) {
    findings.error(cursor, faultFinding(error, 'the check of this part failed'))
    return undefined
  }
}

/** Maps with free keys lose one of this name in the parse, as objects do: what stands there must not vanish. */
function reportLostKeys(cursor: Cursor, findings: Findings): boolean {
  let found = false
  for (const child of cursor.children()) {
    if (child.path.at(-1) === '__proto__') {
      findings.error(child, {
        code: 'MQB_CONFIG_INVALID',
        what: 'the key "__proto__" cannot be used in a configuration',
        mend: 'choose another one',
        atKey: true,
      })
      found = true
    } else if (reportLostKeys(child, findings)) found = true
  }
  return found
}

function substituteAll(issues: readonly Issue[], cursor: Cursor, tried: Set<string>): boolean {
  let substituted = false
  for (const { issue, path } of leavesOf(issues, [])) {
    const key = JSON.stringify(path)
    if (tried.has(key)) continue
    tried.add(key)
    const at = cursor.at(path)
    const replacement = substituteFor(issue, at)
    if (replacement === undefined) continue
    at.value = replacement
    substituted = true
  }
  return substituted
}

function* leavesOf(
  issues: readonly Issue[],
  prefix: readonly PathPart[],
): Iterable<{ issue: Issue; path: readonly PathPart[] }> {
  for (const issue of issues) {
    const path = [...prefix, ...(issue.path as PathPart[])]
    if (issue.code === 'invalid_union') {
      for (const variant of issue.errors) yield* leavesOf(variant, path)
    } else {
      yield { issue, path }
    }
  }
}

function substituteFor(issue: Issue, at: Cursor): string | number | boolean | undefined {
  const { value, origin } = at
  if (typeof value === 'string') {
    return origin.fromEnvironment === true ? readScalar(issue, value) : undefined
  }
  if (typeof value !== 'number' && typeof value !== 'boolean' && typeof value !== 'bigint') return undefined
  const wantsText =
    (issue.code === 'invalid_type' && issue.expected === 'string') ||
    (issue.code === 'invalid_value' && issue.values.some(literal => literal === origin.text))
  return wantsText ? origin.text : undefined
}

function readScalar(issue: Issue, text: string): number | boolean | undefined {
  if (issue.code !== 'invalid_type') return undefined
  if (issue.expected === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  if (issue.expected !== 'number' && issue.expected !== 'int') return undefined
  return readNumber(text)
}

/** A JSON number, also with a plus sign or a leading dot; nothing else that `Number` would take. */
export function readNumber(text: string): number | undefined {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined
}
