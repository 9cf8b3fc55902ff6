import { unfit } from '../evaluation-error.ts'
import type { Run } from '../payload/frame.ts'
import type { Assignments } from '../syntax/ast.ts'
import { maxNesting } from '../value/from-json.ts'
import { RecordValue } from '../value/record.ts'
import { asRecord, type Value } from '../value/value.ts'
import { compileNode } from './compile.ts'
import type { Context, Variable } from './context.ts'

interface Step {
  readonly variable: Variable
  /** Below the variable. */
  readonly path: readonly string[]
  readonly value: Run
}

/** Assignments one after the other. The result is what follows them, or an object of what was assigned. */
export function compileAssignments(node: Assignments, context: Context): Run {
  for (const { path, at } of node.list) declare(path[0] as string, at, context)
  if (context.predicate && node.result === undefined)
    context.problems.add(node.start, '= sets a field, and a condition is expected', 'compare with ==')
  const payload = new Map<Variable, Run>()
  const steps = node.list.map(({ path, value }) => compileStep(path, compileNode(value, context), context))
  const result = node.result === undefined ? undefined : compileNode(node.result, context)
  for (const variable of context.variables.values())
    if (variable.needsPayload) payload.set(variable, context.payload([variable.name]))
  const initial = [...payload]
  const variables = [...context.variables.values()]
  const site = context.site(node.start)
  const overgrown = (): never => {
    throw unfit(site, `a field nests more than ${maxNesting} levels deep`, 'assign less deeply')
  }
  return frame => {
    for (const { local } of variables) frame.locals[local] = null
    for (const [{ local }, run] of initial) frame.locals[local] = run(frame)
    let made = new RecordValue([], [])
    for (const { variable, path, value } of steps) {
      const assigned = value(frame)
      if (path.length > maxNesting) overgrown()
      frame.locals[variable.local] = withValue(frame.locals[variable.local] ?? null, path, 0, assigned)
      if (result === undefined) made = withValue(made, [variable.name, ...path], 0, assigned) as RecordValue
    }
    return result === undefined ? made : result(frame)
  }
}

function declare(name: string, offset: number, context: Context): void {
  if (name === 'meta' || context.roots.includes(name))
    context.problems.add(offset, `${name} can not be assigned`, 'choose another name')
  if (!context.variables.has(name))
    context.variables.set(name, { name, local: context.newLocal(), state: 'untouched', needsPayload: false })
}

/** Called in the order of the text, so that what is compiled before reads the payload and what is compiled after does not. */
function compileStep([name, ...path]: readonly string[], value: Run, context: Context): Step {
  const variable = context.variables.get(name as string) as Variable
  if (path.length === 0) variable.state = 'full'
  else if (variable.state === 'untouched') variable.state = 'partial'
  return { variable, path, value }
}

/** The value with one field somewhere below it set; what is no object on the way is replaced by one. */
function withValue(outer: Value, path: readonly string[], at: number, value: Value): Value {
  const key = path[at]
  if (key === undefined) return value
  const record = asRecord(outer) ?? new RecordValue([], [])
  return record.with(key, withValue(record.get(key) ?? null, path, at + 1, value))
}
