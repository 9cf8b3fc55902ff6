import { isDate } from '../dates/date-value.ts'
import { unfit } from '../evaluation-error.ts'
import { Failure, named } from '../functions/definition.ts'
import { sliceText } from '../functions/text.ts'
import { toText } from '../functions/type.ts'
import { formatDecimal } from '../number/decimal.ts'
import { toCount } from '../number/whole.ts'
import type { Run } from '../payload/frame.ts'
import type {
  ArrayNode,
  Conditional,
  IntervalNode,
  Node,
  ObjectNode,
  Slice,
  Template,
} from '../syntax/ast.ts'
import { Interval } from '../value/interval.ts'
import { RecordValue } from '../value/record.ts'
import { asArray, asNumber, type Value } from '../value/value.ts'
import { compileAssignments } from './assign.ts'
import { compileCall, compileMethod } from './call.ts'
import { compileChain, compileUnary } from './chain.ts'
import { condition } from './condition.ts'
import type { Context } from './context.ts'
import { compileReference } from './reference.ts'

const nothing: Run = () => null

/** Turns a node into a closure. Mistakes in it are reported; the closure then is never run. */
export function compileNode(node: Node, context: Context): Run {
  switch (node.kind) {
    case 'literal': {
      const { value } = node
      return () => value
    }
    case 'template':
      return compileTemplate(node, context)
    case 'name':
    case 'root':
    case 'pointer':
    case 'member':
      return compileReference(node, context)
    case 'slice':
      return compileSlice(node, context)
    case 'interval':
      return compileInterval(node, context)
    case 'array':
      return compileArray(node, context)
    case 'object':
      return compileObject(node, context)
    case 'unary':
      return compileUnary(node, context)
    case 'chain':
      return compileChain(node, context)
    case 'conditional':
      return compileConditional(node, context)
    case 'call':
      return compileCall(node, context)
    case 'method':
      return compileMethod(node, context)
    case 'assignments':
      return compileAssignments(node, context)
    case 'broken':
      return nothing
  }
}

function compileTemplate({ parts }: Template, context: Context): Run {
  const runs = parts.map(part => textOf(part, context))
  if (runs.length === 1) return runs[0] as Run
  return frame => {
    let text = ''
    for (const run of runs) text += run(frame) as string
    return text
  }
}

/** The text of a value, as templates and computed names have it. */
function textOf(node: Node, context: Context): Run {
  if (node.kind === 'literal') {
    const text = toText(node.value)
    return () => text
  }
  const run = compileNode(node, context)
  const site = context.site(node.start)
  return frame => {
    const value = run(frame)
    if (typeof value === 'string') return value
    try {
      return toText(value)
    } catch (error) {
      throw error instanceof Failure ? unfit(site, error.message, error.mend, error.missing) : error
    }
  }
}

function compileArray({ elements }: ArrayNode, context: Context): Run {
  const runs = elements.map(element => compileNode(element, context))
  if (elements.every(element => element.kind === 'literal')) {
    const values = elements.map(element => (element.kind === 'literal' ? element.value : null))
    return () => values
  }
  return frame => {
    const values: Value[] = new Array(runs.length)
    for (let at = 0; at < runs.length; at++) values[at] = (runs[at] as Run)(frame)
    return values
  }
}

function compileObject({ entries }: ObjectNode, context: Context): Run {
  const values = entries.map(({ value }) => compileNode(value, context))
  if (!entries.every(({ key }) => key.kind === 'literal')) {
    const keys = entries.map(({ key }) => textOf(key, context))
    return frame =>
      RecordValue.from(keys.map((key, at) => [key(frame) as string, (values[at] as Run)(frame)]))
  }
  const keys = entries.map(({ key }) => (key.kind === 'literal' ? toText(key.value) : ''))
  for (const [at, key] of keys.entries())
    if (keys.indexOf(key) < at)
      context.problems.add(
        (entries[at] as { key: Node }).key.start,
        `the field ${JSON.stringify(key)} stands twice`,
        'remove one of them',
      )
  if (values.length === 1) {
    const only = values[0] as Run
    return frame => new RecordValue(keys, [only(frame)])
  }
  if (values.length === 2) {
    const [first, second] = values as [Run, Run]
    return frame => new RecordValue(keys, [first(frame), second(frame)])
  }
  return frame => {
    const made: Value[] = new Array(values.length)
    for (let at = 0; at < values.length; at++) made[at] = (values[at] as Run)(frame)
    return new RecordValue(keys, made)
  }
}

function compileConditional({ cases, otherwise }: Conditional, context: Context): Run {
  const compiled = cases.map(({ condition: test, value }) => ({
    test: condition(test, context),
    value: compileNode(value, context),
  }))
  const last = compileNode(otherwise, context)
  return frame => {
    for (const { test, value } of compiled) if (test(frame)) return value(frame)
    return last(frame)
  }
}

function compileInterval(node: IntervalNode, context: Context): Run {
  const left = compileNode(node.left, context)
  const right = compileNode(node.right, context)
  const site = context.site(node.start)
  const { open, close } = node
  return frame => {
    const from = left(frame)
    const to = right(frame)
    if (isDate(from) && isDate(to)) return new Interval(open, from, to, close)
    const first = asNumber(from)
    const last = asNumber(to)
    if (first === undefined || last === undefined)
      throw unfit(
        site,
        `an interval needs two numbers or two dates, not ${named(from)} and ${named(to)}`,
        'convert the bounds, or give a value for the absent case with ??',
        from === null || to === null,
      )
    return new Interval(open, first, last, close)
  }
}

function compileSlice(node: Slice, context: Context): Run {
  const object = compileNode(node.object, context)
  const from = node.from === undefined ? undefined : compileNode(node.from, context)
  const to = node.to === undefined ? undefined : compileNode(node.to, context)
  const site = context.site(node.start)
  const bound = (value: Value): number => {
    const number = asNumber(value)
    const count = number === undefined ? undefined : toCount(number)
    if (count !== undefined) return count
    const what = number === undefined ? named(value) : formatDecimal(number)
    throw unfit(
      site,
      `the bounds of a slice are whole numbers from 0 on, not ${what}`,
      'count from 0; the upper bound is included',
      value === null,
    )
  }
  return frame => {
    const value = object(frame)
    const elements = typeof value === 'string' ? undefined : asArray(value)
    if (typeof value !== 'string' && elements === undefined)
      throw unfit(
        site,
        `only a text or an array can be sliced, not ${named(value)}`,
        'give a value for the absent case with ??',
        value === null,
      )
    const length = elements?.length ?? Buffer.byteLength(value as string)
    const first = from === undefined ? 0 : bound(from(frame))
    const last = to === undefined ? length - 1 : bound(to(frame))
    const slice =
      elements === undefined
        ? sliceText(value as string, first, last)
        : first > last + 1 || last >= length
          ? undefined
          : elements.slice(first, last + 1)
    if (slice === undefined)
      throw unfit(
        site,
        'the slice reaches beyond the value, or cuts a character',
        'test the length first, with len(…)',
      )
    return slice
  }
}
