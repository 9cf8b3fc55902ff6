import type { PathStep } from '@mqb/json'

/** One mistake in a schema. */
export interface SchemaProblem {
  /** Where in the schema: `properties`, `qty`, `type`. */
  readonly path: readonly PathStep[]
  readonly what: string
  readonly mend: string
}

/** A schema cannot be used. */
export class SchemaError extends Error {
  override readonly name: string = 'SchemaError'
  readonly problems: readonly SchemaProblem[]

  constructor(problems: readonly SchemaProblem[]) {
    super(problems.map(({ path, what }) => `${path.join('.')}: ${what}`).join('\n'))
    this.problems = problems
  }
}
