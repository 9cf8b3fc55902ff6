import { compareDates, isDate } from '../dates/date-value.ts'
import { compare } from '../number/arithmetic.ts'
import { asNumber, type Value } from '../value/value.ts'

/** Equality of numbers, texts, booleans and nulls. Arrays, objects and values of two kinds are never equal. */
export function isScalarEqual(a: Value, b: Value): boolean {
  if (a === b) return a === null || typeof a !== 'object'
  const one = asNumber(a)
  if (one === undefined) return false
  const other = asNumber(b)
  return other !== undefined && compare(one, other) === 0
}

/** What `==` says: as above, and dates by their moment. */
export function isEqual(a: Value, b: Value): boolean {
  if (isDate(a) && isDate(b)) return compareDates(a, b) === 0
  return isScalarEqual(a, b)
}
