import { unfit } from '../evaluation-error.ts'
import { named } from '../functions/definition.ts'
import type { Frame } from '../payload/frame.ts'
import type { Node } from '../syntax/ast.ts'
import type { Value } from '../value/value.ts'
import { compileNode } from './compile.ts'
import type { Context } from './context.ts'

/** What a value says where true or false is needed. In a predicate null is false. */
export type Judge = (value: Value) => boolean

export function judge(node: Node, context: Context): Judge {
  const site = context.site(node.start)
  const { predicate, onMissing } = context
  return value => {
    if (value === true) return true
    if (value === false) return false
    if (predicate && value === null) {
      onMissing?.(site)
      return false
    }
    throw unfit(
      site,
      `true or false is needed here, not ${named(value)}`,
      value === null ? 'give a value for the absent case with ??' : 'compare it with something',
      value === null,
    )
  }
}

export function condition(node: Node, context: Context): (frame: Frame) => boolean {
  const run = compileNode(node, context)
  const decide = judge(node, context)
  return frame => {
    const value = run(frame)
    return value === true || (value !== false && decide(value))
  }
}
