import { unfit } from '../evaluation-error.ts'
import { Failure, type FunctionDefinition, named } from '../functions/definition.ts'
import { otherNames } from '../functions/other-names.ts'
import { compilePattern } from '../functions/pattern.ts'
import { argumentCounts, closuresByName, functionsByName, methodsByName } from '../functions/registry.ts'
import { flattened } from '../functions/structure.ts'
import { DecimalOverflow } from '../number/decimal.ts'
import { toWhole } from '../number/whole.ts'
import type { Frame, Run } from '../payload/frame.ts'
import type { Call, MethodCall, Node } from '../syntax/ast.ts'
import { suggest } from '../syntax/suggest.ts'
import { Interval } from '../value/interval.ts'
import { asArray, asNumber, type Value } from '../value/value.ts'
import { compileNode } from './compile.ts'
import { judge } from './condition.ts'
import type { Context } from './context.ts'

export function compileCall(node: Call, context: Context): Run {
  const closure = closuresByName.get(node.name)
  if (closure !== undefined) return compileClosure(node, closure.signature, context)
  const definition = functionsByName.get(node.name)
  const runs = node.arguments.map(argument => compileNode(argument, context))
  if (node.alias !== undefined)
    context.problems.add(
      node.start,
      `${node.name} takes no "as"`,
      'only map, filter and the like name their element',
    )
  if (definition === undefined) {
    context.problems.add(
      node.start,
      `there is no function ${JSON.stringify(node.name)}`,
      meantFunction(node.name),
    )
    return () => null
  }
  checkCount(definition.signature, definition.signature, node.arguments.length, node.start, context)
  checkPattern(definition, node, context)
  return calling(definition, runs, node.start, context)
}

export function compileMethod(node: MethodCall, context: Context): Run {
  const definition = methodsByName.get(node.name)
  const runs = [node.object, ...node.arguments].map(part => compileNode(part, context))
  if (definition === undefined) {
    const isFunction = functionsByName.has(node.name) || closuresByName.has(node.name)
    const mend = isFunction
      ? `write ${node.name}(value) instead of value.${node.name}()`
      : meant(node.name, methodsByName.keys(), 'method')
    context.problems.add(node.nameAt, `dates have no method ${JSON.stringify(node.name)}`, mend)
    return () => null
  }
  checkCount(definition.signature, `.${definition.signature}`, node.arguments.length, node.nameAt, context)
  return calling(definition, runs, node.nameAt, context)
}

function meant(name: string, names: Iterable<string>, kind: string): string {
  const suggestion = suggest(name, names)
  return suggestion === undefined
    ? `look up the ${kind}s in the reference`
    : `did you mean ${JSON.stringify(suggestion)}?`
}

function meantFunction(name: string): string {
  const names = [...functionsByName.keys(), ...closuresByName.keys()]
  const foreign = otherNames.get(suggest(name, otherNames.keys()) ?? '')
  return suggest(name, names) === undefined && foreign !== undefined
    ? foreign
    : meant(name, names, 'function')
}

function checkCount(signature: string, shown: string, count: number, offset: number, context: Context): void {
  const { least, most } = argumentCounts(signature)
  if (count >= least && count <= most) return
  const wanted = least === most ? String(least) : `${least} to ${most}`
  const noun = most === 1 ? 'argument' : 'arguments'
  context.problems.add(
    offset,
    `${wanted} ${noun} are expected, not ${count}`.replace('1 argument are', '1 argument is'),
    `call it as ${shown}`,
  )
}

/** A regular expression that stands in the text is read now, so that a mistake in it shows at once. */
function checkPattern(definition: FunctionDefinition, node: Call, context: Context): void {
  const pattern =
    definition.name === 'matches' || definition.name === 'extract' ? node.arguments[1] : undefined
  if (pattern?.kind !== 'literal' || typeof pattern.value !== 'string') return
  try {
    compilePattern(pattern.value)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    context.problems.add(pattern.start, error.message, error.mend)
  }
}

function calling(
  definition: FunctionDefinition,
  runs: readonly Run[],
  offset: number,
  context: Context,
): Run {
  const site = context.site(offset)
  const { call, name } = definition
  const count = runs.length
  return frame => {
    const values: Value[] = new Array(count)
    for (let at = 0; at < count; at++) values[at] = (runs[at] as Run)(frame)
    try {
      return call(values, frame.host)
    } catch (error) {
      if (error instanceof DecimalOverflow)
        throw unfit(
          site,
          `${name}: the number has more than 28 digits before the point`,
          'use smaller numbers',
        )
      if (!(error instanceof Failure)) throw error
      if (context.predicate && error.missing) {
        context.onMissing?.(site)
        return null
      }
      throw unfit(site, `${name}: ${error.message}`, error.mend, error.missing)
    }
  }
}

// An interval is counted up as an array, so it must not be an endless one.
const maxCounted = 1_000_000

function compileClosure(node: Call, signature: string, context: Context): Run {
  const [source, body] = node.arguments
  if (source === undefined || body === undefined || node.arguments.length > 2) {
    context.problems.add(
      node.start,
      `an array and an expression are expected, not ${node.arguments.length} argument${node.arguments.length === 1 ? '' : 's'}`,
      `call it as ${signature}`,
    )
    return () => null
  }
  const array = compileNode(source, context)
  const local = context.newLocal()
  context.closures.push({ alias: node.alias, local })
  const run = compileNode(body, context)
  context.closures.pop()
  const site = context.site(node.start)
  const elementsOf = (value: Value): readonly Value[] => {
    const elements = asArray(value) ?? (value instanceof Interval ? counted(value) : undefined)
    if (elements !== undefined) return elements
    if (value instanceof Interval)
      throw unfit(
        site,
        `${node.name} can not count the interval up`,
        `take one between whole numbers, of at most ${maxCounted} of them`,
      )
    throw unfit(
      site,
      `${node.name}: an array is expected, not ${named(value)}`,
      value === null ? 'give a value for the absent case with ??' : 'take another value',
      value === null,
    )
  }
  const walk = walker(node, run, local, body, context)
  return frame => {
    const value = array(frame)
    if (context.predicate && value === null) {
      context.onMissing?.(site)
      return null
    }
    return walk(frame, elementsOf(value))
  }
}

type Walk = (frame: Frame, elements: readonly Value[]) => Value

function walker(node: Call, run: Run, local: number, body: Node, context: Context): Walk {
  if (node.name === 'map' || node.name === 'flatMap') {
    const opens = node.name === 'flatMap'
    return (frame, elements) => {
      const made: Value[] = new Array(elements.length)
      for (let at = 0; at < elements.length; at++) {
        frame.locals[local] = elements[at] as Value
        made[at] = run(frame)
      }
      return opens ? flattened(made) : made
    }
  }
  const decide = judge(body, context)
  const holds = (frame: Frame, element: Value): boolean => {
    frame.locals[local] = element
    const value = run(frame)
    return value === true || (value !== false && decide(value))
  }
  switch (node.name) {
    case 'filter':
      return (frame, elements) => elements.filter(element => holds(frame, element))
    case 'some':
      return (frame, elements) => elements.some(element => holds(frame, element))
    case 'all':
      return (frame, elements) => elements.every(element => holds(frame, element))
    case 'none':
      return (frame, elements) => !elements.some(element => holds(frame, element))
    default: {
      const isOne = node.name === 'one'
      return (frame, elements) => {
        let count = 0
        for (const element of elements) if (holds(frame, element)) count++
        return isOne ? count === 1 : count
      }
    }
  }
}

/** The whole numbers of a closed interval. */
function counted(interval: Interval): readonly number[] | undefined {
  if (interval.open === ')' || interval.open === ']' || interval.close === '(' || interval.close === '[')
    return undefined
  const first = wholeBound(interval.left)
  const last = wholeBound(interval.right)
  if (first === undefined || last === undefined) return undefined
  const from = interval.open === '(' ? first + 1 : first
  const to = interval.close === ')' ? last - 1 : last
  if (to - from >= maxCounted) return undefined
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
}

function wholeBound(bound: Interval['left']): number | undefined {
  const number = asNumber(bound)
  return number === undefined ? undefined : toWhole(number)
}
