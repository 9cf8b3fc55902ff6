import type { Side } from '../contract/capabilities.ts'
import type { EndpointPlan } from '../plan/plan.ts'
import type { PathPart } from './path.ts'
import type { Cursor } from './tree/cursor.ts'

/** A finding of a nested part, with its path relative to the value that was handed in. */
export interface NestedFinding {
  readonly code: string
  readonly path: readonly PathPart[]
  readonly what: string
  readonly mend: string
  /** The finding is about the key, not about its value. */
  readonly atKey?: boolean
  /** Where it stands, when the planner knows: right also where a schema has rearranged what was written. */
  readonly cursor?: Cursor
}

/** What the component around a nested endpoint asks of it. */
export interface NestedNeeds {
  /** It has to answer each message: refused at start when it never can. */
  readonly mustAnswer?: boolean
}

/** What plans nested endpoints while a configuration is being parsed. */
export interface NestedPlanner {
  planNested(raw: unknown, side: Side, needs: NestedNeeds): EndpointPlan | readonly NestedFinding[]
  /** Variables for `${env:NAME}`. */
  readonly env: Readonly<Record<string, string | undefined>>
}

// A plugin may come with a copy of core of its own: both copies have to meet in the same place.
const slot: unique symbol = Symbol.for('mqb.config.planner') as never
const holder = globalThis as { [slot]?: NestedPlanner | undefined }

/** The planner of the parse that is running, if any. */
export function currentPlanner(): NestedPlanner | undefined {
  return holder[slot]
}

/** Runs a synchronous parse with this planner for the endpoint fields in it. */
export function withPlanner<T>(planner: NestedPlanner, parse: () => T): T {
  const outer = holder[slot]
  holder[slot] = planner
  try {
    return parse()
  } finally {
    holder[slot] = outer
  }
}
