import type { Plugin, Side } from '@mqb/core'
import type { SuiteLimits } from '../connector/options.ts'
import type { TestOpeningOptions } from '../fakes/test-opening.ts'

export interface MiddlewareSuiteOptions {
  readonly plugin: Plugin
  /** Key of the middleware in the plugin. */
  readonly middleware: string
  /**
   * The configuration in which the middleware changes nothing, as a user writes it; or a function of the side. Every
   * rule of the contract must hold through it. Default: an empty object.
   */
  readonly neutralConfig?: unknown
  /** Instead, what the schema would give: for middlewares whose configuration holds plans of nested endpoints. */
  parsedConfig?(side: Side): unknown
  /** Default: each side that the definition serves. */
  readonly sides?: readonly Side[]
  /**
   * The middleware exists to deal with failures (`retry`, `dlq`), so that a failed message may come out as something
   * else. What was not a failure still keeps its place and its outcome.
   */
  readonly handlesFailures?: boolean
  /** What its openings have that differs from a test's defaults: stores, say. */
  readonly opening?: TestOpeningOptions
  readonly limits?: Partial<SuiteLimits>
  /** Title of the group. Default: `<middleware>: middleware conformance`. */
  readonly title?: string
}

/** Memory answers at once, so that silence is believed early. */
export const middlewareLimits: Partial<SuiteLimits> = { quietMs: 8, drainIdleMs: 8 }
