import { compareDates, type DateValue, isDate } from '../dates/date-value.ts'
import { add, compare, magnitude } from '../number/arithmetic.ts'
import type { Num } from '../number/decimal.ts'
import { divide } from '../number/divide.ts'
import { ceil, floor, round, truncate } from '../number/round.ts'
import { toCount, toWhole } from '../number/whole.ts'
import { asNumber, type Value } from '../value/value.ts'
import {
  arrayAt,
  definer,
  Failure,
  type FunctionDefinition,
  mismatch,
  notEmpty,
  numberAt,
  numbersAt,
} from './definition.ts'

function places(values: readonly Value[]): number {
  if (values.length < 2) return 0
  const count = toCount(numberAt(values, 1))
  if (count === undefined)
    throw new Failure('the number of places is below 0 or too large', 'give a whole number from 0 to 28')
  return count
}

function sum(numbers: readonly Num[]): Num {
  let total: Num = 0
  for (const number of numbers) total = add(total, number)
  return total
}

const average = (numbers: readonly Num[]): Num => divide(sum(notEmpty(numbers)), numbers.length) as Num

function median(numbers: readonly Num[]): Num {
  const sorted = [...notEmpty(numbers)].sort(compare)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] as Num
  if (sorted.length % 2 === 1) return upper
  return divide(add(sorted[middle - 1] as Num, upper), 2) as Num
}

/** The most frequent number; of several the largest. */
function mode(numbers: readonly Num[]): Num {
  const sorted = [...notEmpty(numbers)].sort(compare)
  let best = sorted[0] as Num
  let most = 0
  for (let from = 0; from < sorted.length; ) {
    let to = from
    while (to < sorted.length && compare(sorted[to] as Num, sorted[from] as Num) === 0) to++
    if (to - from >= most) {
      most = to - from
      best = sorted[from] as Num
    }
    from = to
  }
  return best
}

/** The first of equal ones for `min`, the last of them for `max`, as it shows in trailing zeros. */
function extreme(values: readonly Value[], sign: 1 | -1): Value {
  const elements = notEmpty(arrayAt(values, 0))
  if (isDate(elements[0])) {
    const dates = elements.map(element => {
      if (!isDate(element)) throw mismatch('an array of dates', element)
      return element
    })
    return best<DateValue>(dates, compareDates, sign)
  }
  return best(numbersOf(elements), compare, sign)
}

function best<T>(elements: readonly T[], order: (a: T, b: T) => number, sign: 1 | -1): T {
  let found = elements[0] as T
  for (const element of elements) {
    const relation = sign * order(element, found)
    if (relation > 0 || (relation === 0 && sign > 0)) found = element
  }
  return found
}

function numbersOf(elements: readonly Value[]): readonly Num[] {
  return elements.map(element => {
    const number = asNumber(element)
    if (number === undefined)
      throw mismatch('an array of numbers or of dates', element, 'filter or convert its elements first')
    return number
  })
}

const define = definer('number')

export const numberFunctions: readonly FunctionDefinition[] = [
  define('abs(number)', 'The number without its sign.', values => magnitude(numberAt(values, 0))),
  define(
    'round(number, places?)',
    'Rounded to a number of places, 0 if left out; halves away from zero.',
    values => round(numberAt(values, 0), places(values)),
  ),
  define('trunc(number, places?)', 'Cut to a number of places, 0 if left out.', values =>
    truncate(numberAt(values, 0), places(values)),
  ),
  define('floor(number)', 'The next whole number below.', values => floor(numberAt(values, 0))),
  define('ceil(number)', 'The next whole number above.', values => ceil(numberAt(values, 0))),
  define('rand(limit)', 'A random whole number from 0 to the limit, both included.', (values, host) => {
    const limit = toWhole(round(numberAt(values, 0), 0))
    if (limit === undefined || limit < 0)
      throw new Failure('the limit is below 0 or too large', 'give a whole number from 0 on')
    return Math.floor(host.random() * (limit + 1))
  }),
  define('sum(numbers)', 'The sum; 0 for an empty array.', values => sum(numbersAt(values, 0))),
  define('avg(numbers)', 'The mean.', values => average(numbersAt(values, 0))),
  define('min(values)', 'The smallest number, or the earliest date.', values => extreme(values, -1)),
  define('max(values)', 'The largest number, or the latest date.', values => extreme(values, 1)),
  define('median(numbers)', 'The number in the middle; of an even count the mean of the two.', values =>
    median(numbersAt(values, 0)),
  ),
  define('mode(numbers)', 'The most frequent number; of several the largest.', values =>
    mode(numbersAt(values, 0)),
  ),
]
