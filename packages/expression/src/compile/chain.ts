import { type Site, unfit } from '../evaluation-error.ts'
import { named } from '../functions/definition.ts'
import { add, multiply, negate, remainder, subtract } from '../number/arithmetic.ts'
import { Decimal, DecimalOverflow, isNegative, isZero, maxSafe, type Num } from '../number/decimal.ts'
import { divide } from '../number/divide.ts'
import { power } from '../number/power.ts'
import type { Run } from '../payload/frame.ts'
import type { BinaryOperator, Chain, Node, Unary } from '../syntax/ast.ts'
import { asNumber, type Value } from '../value/value.ts'
import { compileComparison } from './comparison.ts'
import { compileNode } from './compile.ts'
import { condition, judge } from './condition.ts'
import type { Context } from './context.ts'

// Longer chains run as a loop, so that a sum of ten thousand terms needs no deep stack.
const maxNested = 32

export function compileChain(node: Chain, context: Context): Run {
  const { first, rest } = node
  let left: Node = first
  let run = compileNode(first, context)
  for (let at = 0; at < rest.length; at++) {
    if (at === maxNested) return looped(run, rest.slice(at), node, context)
    const { operator, operand, at: offset } = rest[at] as Chain['rest'][number]
    run = compileBinary(operator, { node: left, run }, operand, offset, context)
    // What came before is no literal and no path any more.
    left = node
  }
  return run
}

/** One step after the other, each as a binary operation whose left side is what the steps before made. */
function looped(first: Run, rest: Chain['rest'], node: Node, context: Context): Run {
  const local = context.newLocal()
  const left: Run = frame => frame.locals[local] as Value
  const steps = rest.map(({ operator, operand, at }) =>
    compileBinary(operator, { node, run: left }, operand, at, context),
  )
  return frame => {
    frame.locals[local] = first(frame)
    for (const step of steps) frame.locals[local] = step(frame)
    return frame.locals[local] as Value
  }
}

/** The left side of an operator, which has been compiled already. */
export interface Operand {
  readonly node: Node
  readonly run: Run
}

function compileBinary(
  operator: BinaryOperator,
  left: Operand,
  right: Node,
  offset: number,
  context: Context,
): Run {
  const site = context.site(offset)
  switch (operator) {
    case 'and':
    case 'or':
      return compileLogic(operator, left, right, context)
    case '??': {
      const { run } = left
      const fallback = compileNode(right, context)
      return frame => run(frame) ?? fallback(frame)
    }
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '^':
      return compileArithmetic(operator, left.run, compileNode(right, context), site, context)
    default:
      return compileComparison(operator, left, right, site, context)
  }
}

/** The left side decides, or the right side is the result, whatever it is. */
function compileLogic(operator: 'and' | 'or', left: Operand, right: Node, context: Context): Run {
  const { run } = left
  const decide = judge(left.node, context)
  const other = compileNode(right, context)
  if (operator === 'and')
    return frame => {
      const value = run(frame)
      return value === true || (value !== false && decide(value)) ? other(frame) : false
    }
  return frame => {
    const value = run(frame)
    return value === true || (value !== false && decide(value)) ? true : other(frame)
  }
}

type Arithmetic = '+' | '-' | '*' | '/' | '%' | '^'

/** What a number and a number make; `undefined` where there is no such number. */
const calculations: Readonly<Record<Arithmetic, (a: Num, b: Num) => Num | null | undefined>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': (a, b) => divide(a, b) ?? null,
  '%': (a, b) => remainder(a, b) ?? null,
  '^': (a, b) => (isZero(a) && isNegative(b) ? null : power(a, b)),
}

function compileArithmetic(operator: Arithmetic, left: Run, right: Run, site: Site, context: Context): Run {
  const unusual = unusualArithmetic(operator, site, context)
  // Sums and products have code of their own: in one closure for all operators the call could not be inlined.
  if (operator === '+')
    return frame => {
      const a = left(frame)
      const b = right(frame)
      if (typeof a === 'number' && typeof b === 'number') {
        const sum = a + b
        if (sum <= maxSafe && sum >= -maxSafe) return sum
      }
      if (!isComputable(a) || !isComputable(b)) return unusual(a, b)
      try {
        return add(a, b)
      } catch (error) {
        throw error instanceof DecimalOverflow ? tooLarge(site) : error
      }
    }
  if (operator === '*')
    return frame => {
      const a = left(frame)
      const b = right(frame)
      if (!isComputable(a) || !isComputable(b)) return unusual(a, b)
      try {
        return multiply(a, b)
      } catch (error) {
        throw error instanceof DecimalOverflow ? tooLarge(site) : error
      }
    }
  return frame => unusual(left(frame), right(frame))
}

const isComputable = (value: Value): value is Num => typeof value === 'number' || value instanceof Decimal

/** Also for numbers as they stand in the payload, for texts, and for what can not be computed with. */
function unusualArithmetic(
  operator: Arithmetic,
  site: Site,
  context: Context,
): (a: Value, b: Value) => Value {
  return (a, b) => {
    const one = asOperand(a, site)
    const other = asOperand(b, site)
    if (one === undefined || other === undefined) {
      if (operator === '+' && typeof a === 'string' && typeof b === 'string') return a + b
      if (context.predicate && (a === null || b === null)) {
        context.onMissing?.(site)
        return null
      }
      throw unfitOperands(operator, a, b, site)
    }
    try {
      const result = calculations[operator](one, other)
      if (result !== undefined) return result
    } catch (error) {
      throw error instanceof DecimalOverflow ? tooLarge(site) : error
    }
    throw unfit(
      site,
      'there is no such power, or it has more than 28 digits',
      'use smaller numbers, and no fraction as the exponent of a number below 0',
    )
  }
}

const tooLarge = (site: Site): Error =>
  unfit(site, 'the number has more than 28 digits before the point', 'use smaller numbers')

/** A number to compute with. */
export function asOperand(value: Value, site: Site): Num | undefined {
  try {
    return asNumber(value)
  } catch (error) {
    throw error instanceof DecimalOverflow ? tooLarge(site) : error
  }
}

function unfitOperands(operator: Arithmetic, a: Value, b: Value, site: Site): Error {
  const wanted = operator === '+' ? 'two numbers or two texts' : 'two numbers'
  const isText = typeof a === 'string' || typeof b === 'string'
  const mend =
    a === null || b === null
      ? 'give a value for the absent case with ??'
      : isText && operator === '+'
        ? 'convert one with number(…) or string(…)'
        : isText
          ? 'convert it with number(…)'
          : 'take other values'
  return unfit(
    site,
    `${operator} needs ${wanted}, not ${named(a)} and ${named(b)}`,
    mend,
    a === null || b === null,
  )
}

export function compileUnary(node: Unary, context: Context): Run {
  if (node.operator === 'not') {
    const test = condition(node.operand, context)
    return frame => !test(frame)
  }
  const run = compileNode(node.operand, context)
  if (node.operator === '+') return run
  if (node.operand.kind === 'literal') {
    const number = asNumber(node.operand.value)
    if (number !== undefined) {
      const value = negate(number)
      return () => value
    }
  }
  const site = context.site(node.start)
  return frame => {
    const value = run(frame)
    const number = asOperand(value, site)
    if (number !== undefined) return negate(number)
    if (context.predicate && value === null) {
      context.onMissing?.(site)
      return null
    }
    throw unfit(
      site,
      `- needs a number, not ${named(value)}`,
      value === null ? 'give a value for the absent case with ??' : 'convert it with number(…)',
      value === null,
    )
  }
}
