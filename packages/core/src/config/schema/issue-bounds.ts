import type * as z from 'zod'

type BoundIssue = z.core.$ZodIssue & { code: 'too_small' | 'too_big' | 'not_multiple_of' }

/** `at least one character`, `a number above 0`, `at most 1024 entries`. */
export function boundText(issue: BoundIssue): string {
  if (issue.code === 'not_multiple_of') return `a multiple of ${issue.divisor}`
  const small = issue.code === 'too_small'
  const bound = Number(small ? issue.minimum : issue.maximum)
  const unit = units[issue.origin]
  if (unit === undefined) {
    if (issue.inclusive === false) return `a number ${small ? 'above' : 'below'} ${bound}`
    return `a number ${small ? `from ${bound} on` : `up to ${bound}`}`
  }
  if (issue.exact === true) return `exactly ${count(bound, unit)}`
  const limit = issue.inclusive === false ? bound + (small ? 1 : -1) : bound
  return `${small ? 'at least' : 'at most'} ${count(limit, unit)}`
}

const units: Record<string, readonly [string, string]> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  object: ['key', 'keys'],
  record: ['key', 'keys'],
  map: ['key', 'keys'],
}

function count(bound: number, [one, many]: readonly [string, string]): string {
  return bound === 1 ? `one ${one}` : `${bound} ${many}`
}
