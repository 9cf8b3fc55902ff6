import { compareDates, isDate } from '../dates/date-value.ts'
import { compare } from '../number/arithmetic.ts'
import type { Num } from '../number/decimal.ts'
import { asNumber, type Value } from '../value/value.ts'

/** Equality of numbers, texts, booleans and nulls. Arrays, objects and values of two kinds are never equal. */
export function isScalarEqual(a: Value, b: Value): boolean {
  if (typeof a !== 'object' || a === null) return a === b || (typeof a === 'number' && isSameNumber(a, b))
  const number = asNumber(a)
  return number !== undefined && isSameNumber(number, b)
}

function isSameNumber(number: Num, value: Value): boolean {
  const other = asNumber(value)
  return other !== undefined && compare(number, other) === 0
}

/** What `==` says: as above, and dates by their moment. */
export function isEqual(a: Value, b: Value): boolean {
  if (isDate(a) && isDate(b)) return compareDates(a, b) === 0
  return isScalarEqual(a, b)
}
