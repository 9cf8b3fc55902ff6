import type * as z from 'zod'

type UnionIssue = z.core.$ZodIssue & { code: 'invalid_union' }

/**
 * The variant that the user most probably meant: one of the right type, with the fewest complaints. `undefined` when
 * no variant takes a value of this type: then the message names all of them.
 */
export function bestVariant(issue: UnionIssue, value: unknown): readonly z.core.$ZodIssue[] | undefined {
  let best: readonly z.core.$ZodIssue[] | undefined
  let bestScore = Number.POSITIVE_INFINITY
  for (const variant of issue.errors) {
    if (variant.some(inner => inner.path.length === 0 && isTypeMismatch(inner, value))) continue
    const score = variant.reduce((sum, inner) => sum + weightOf(inner), 0)
    if (score < bestScore) {
      best = variant
      bestScore = score
    }
  }
  return best
}

function isTypeMismatch(issue: z.core.$ZodIssue, value: unknown): boolean {
  if (issue.code === 'invalid_type') return true
  if (issue.code === 'invalid_value') return typeof value !== 'string'
  return issue.code === 'invalid_union' && issue.errors.length > 0 && bestVariant(issue, value) === undefined
}

/** A key that does not exist says more against a variant than a value that does not fit. */
function weightOf(issue: z.core.$ZodIssue): number {
  if (issue.code === 'unrecognized_keys') return 2 * issue.keys.length
  return issue.code === 'invalid_value' && issue.path.length <= 1 ? 3 : 1
}
