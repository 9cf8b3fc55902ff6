import { compareDates, isDate } from '../dates/date-value.ts'
import { type Site, unfit } from '../evaluation-error.ts'
import { named } from '../functions/definition.ts'
import { isEqual } from '../functions/equality.ts'
import { compare, negate } from '../number/arithmetic.ts'
import type { Num } from '../number/decimal.ts'
import { parseNumber } from '../number/parse.ts'
import type { Run } from '../payload/frame.ts'
import type { BinaryOperator, Node } from '../syntax/ast.ts'
import { Interval } from '../value/interval.ts'
import { asArray, asNumber, asRecord, typeOf, type Value } from '../value/value.ts'
import { compileByteComparison } from './byte-comparison.ts'
import type { Operand } from './chain.ts'
import { asOperand } from './chain.ts'
import { compileNode } from './compile.ts'
import type { Context } from './context.ts'
import { readsMessage } from './reference.ts'

export type Ordering = '<' | '<=' | '>' | '>='

export function compileComparison(
  operator: BinaryOperator,
  left: Operand,
  right: Node,
  site: Site,
  context: Context,
): Run {
  if (operator === 'in' || operator === 'not in')
    return compileMembership(operator, left, right, site, context)
  const fast = compileByteComparison(operator as Ordering | '==' | '!=', left.node, right, site, context)
  if (fast !== undefined) return fast
  const other = compileNode(right, context)
  // A numeric literal beside a field says that the field is a number, also where it comes as text.
  const a =
    numericLiteral(right) !== undefined && readsMessage(left.node, context)
      ? readAsNumber(left.run)
      : left.run
  const b =
    numericLiteral(left.node) !== undefined && readsMessage(right, context) ? readAsNumber(other) : other
  if (operator === '==') return frame => isEqual(a(frame), b(frame))
  if (operator === '!=') return frame => !isEqual(a(frame), b(frame))
  const decide = order(operator as Ordering, site, context)
  return frame => decide(a(frame), b(frame))
}

/** What an ordering says about two values. */
export function order(operator: Ordering, site: Site, context: Context): (a: Value, b: Value) => boolean {
  const holds = holdsFor(operator)
  return (a, b) => {
    if (typeof a === 'number' && typeof b === 'number') return holds(a - b)
    const one = asOperand(a, site)
    const other = asOperand(b, site)
    if (one !== undefined && other !== undefined) return holds(compare(one, other))
    if (isDate(a) && isDate(b)) return holds(compareDates(a, b))
    if (context.predicate && (isUnusable(a) || isUnusable(b) || typeOf(a) !== typeOf(b))) {
      context.onMissing?.(site)
      return false
    }
    throw unfitOrdering(operator, a, b, site)
  }
}

function holdsFor(operator: Ordering): (difference: number) => boolean {
  switch (operator) {
    case '<':
      return difference => difference < 0
    case '<=':
      return difference => difference <= 0
    case '>':
      return difference => difference > 0
    case '>=':
      return difference => difference >= 0
  }
}

/** Absent, or not the scalar that is needed. */
export function isUnusable(value: Value): boolean {
  const type = typeOf(value)
  return type === 'null' || type === 'array' || type === 'object'
}

function unfitOrdering(operator: Ordering, a: Value, b: Value, site: Site): Error {
  const missing = a === null || b === null
  const mend = missing
    ? 'give a value for the absent case with ??'
    : typeof a === 'string' || typeof b === 'string'
      ? 'convert it with number(…), or with d(…) for dates'
      : 'take other values'
  return unfit(
    site,
    `${operator} needs two numbers or two dates, not ${named(a)} and ${named(b)}`,
    mend,
    missing,
  )
}

/** The number that a literal spells, `-1` included. */
export function numericLiteral(node: Node): Num | undefined {
  if (node.kind === 'literal') return asNumber(node.value)
  if (node.kind !== 'unary' || node.operator === 'not') return undefined
  const inner = numericLiteral(node.operand)
  return inner === undefined || node.operator === '+' ? inner : negate(inner)
}

/** A text that spells a number as that number; anything else as it is. */
export function asSpelled(value: Value): Value {
  return typeof value === 'string' ? (parseNumber(value.trim()) ?? value) : value
}

const readAsNumber =
  (run: Run): Run =>
  frame =>
    asSpelled(run(frame))

function compileMembership(
  operator: 'in' | 'not in',
  left: Operand,
  right: Node,
  site: Site,
  context: Context,
): Run {
  const reads = isNumeric(right) && readsMessage(left.node, context)
  const value = reads ? readAsNumber(left.run) : left.run
  const where = compileNode(right, context)
  const negated = operator === 'not in'
  return frame => contains(value(frame), where(frame), site, context) !== negated
}

/** An array or interval of nothing but numeric literals. */
function isNumeric(node: Node): boolean {
  if (node.kind === 'array')
    return node.elements.length > 0 && node.elements.every(each => numericLiteral(each) !== undefined)
  return (
    node.kind === 'interval' &&
    numericLiteral(node.left) !== undefined &&
    numericLiteral(node.right) !== undefined
  )
}

function contains(value: Value, where: Value, site: Site, context: Context): boolean {
  if (where instanceof Interval) {
    const member = isDate(value) ? value : asOperand(value, site)
    // A date is in no interval of numbers, and a number in none of dates.
    if (member !== undefined) return where.includes(member)
  } else {
    const type = typeOf(value)
    const elements = type === 'array' || type === 'object' || type === 'interval' ? undefined : asArray(where)
    if (elements !== undefined) return elements.some(element => isEqual(value, element))
    const record = typeof value === 'string' ? asRecord(where) : undefined
    if (record !== undefined) return record.has(value as string)
  }
  if (context.predicate && (isUnusable(value) || where === null || where instanceof Interval)) {
    context.onMissing?.(site)
    return false
  }
  throw unfit(
    site,
    `in can not look for ${named(value)} in ${named(where)}`,
    'look for a scalar in an array, a number or date in an interval, or a name in an object',
    value === null || where === null,
  )
}
