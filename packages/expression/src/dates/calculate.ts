import { addMonths, type Civil, civilOf, daysInMonth, secondsOf, weekdayOf } from './civil.ts'
import { compareDates, type DateValue, dateAt, dateOfClock, invalidDate } from './date-value.ts'
import type { Duration } from './duration.ts'
import { type Unit, unitSeconds } from './units.ts'
import { offsetAt } from './zone.ts'

/** The clock of a date turned to another time; invalid where that time does not exist or comes twice. */
const turned = (date: DateValue, civil: Civil | undefined, nanos = date.nanos): DateValue =>
  civil === undefined ? invalidDate : dateOfClock(civil, nanos, date.zone, 'invalid')

/** Seconds on the time line, then months and years on the clock. */
export function addDuration(date: DateValue, { seconds, months, years }: Duration): DateValue {
  if (!date.valid) return invalidDate
  const moved = dateAt(date.seconds + seconds, date.nanos, date.zone)
  if (!moved.valid) return invalidDate
  const later = turned(moved, months === 0 ? moved.civil : addMonths(moved.civil, months))
  if (!later.valid) return invalidDate
  const { civil } = later
  return turned(later, { ...civil, year: civil.year + years })
}

export function startOf(date: DateValue, unit: Unit): DateValue {
  return date.valid ? turned(date, startOfUnit(date.civil, unit), 0) : invalidDate
}

export function endOf(date: DateValue, unit: Unit): DateValue {
  return date.valid ? turned(date, endOfUnit(date.civil, unit), 999_999_999) : invalidDate
}

const midnight = { hour: 0, minute: 0, second: 0 }
const lastSecond = { hour: 23, minute: 59, second: 59 }

function startOfUnit(civil: Civil, unit: Unit): Civil {
  switch (unit) {
    case 'second':
      return civil
    case 'minute':
      return { ...civil, second: 0 }
    case 'hour':
      return { ...civil, minute: 0, second: 0 }
    case 'day':
      return { ...civil, ...midnight }
    case 'week':
      return { ...shifted(civil, 1 - weekdayOf(civil)), ...midnight }
    case 'month':
      return { ...civil, day: 1, ...midnight }
    case 'quarter':
      return { ...civil, month: (quarterOf(civil) - 1) * 3 + 1, day: 1, ...midnight }
    case 'year':
      return { ...civil, month: 1, day: 1, ...midnight }
  }
}

function endOfUnit(civil: Civil, unit: Unit): Civil {
  switch (unit) {
    case 'second':
      return civil
    case 'minute':
      return { ...civil, second: 59 }
    case 'hour':
      return { ...civil, minute: 59, second: 59 }
    case 'day':
      return { ...civil, ...lastSecond }
    case 'week':
      return { ...shifted(civil, 7 - weekdayOf(civil)), ...lastSecond }
    case 'month':
      return { ...civil, day: daysInMonth(civil.year, civil.month), ...lastSecond }
    case 'quarter': {
      const month = quarterOf(civil) * 3
      return { ...civil, month, day: daysInMonth(civil.year, month), ...lastSecond }
    }
    case 'year':
      return { ...civil, month: 12, day: 31, ...lastSecond }
  }
}

const shifted = (civil: Civil, days: number): Civil => civilOf(secondsOf(civil) + days * 86_400)

export const quarterOf = ({ month }: Civil): number => Math.ceil(month / 3)

/** Sets one hand of the clock; invalid where there is no such time. Weeks and quarters can not be set. */
export function setUnit(date: DateValue, unit: Unit, value: number): DateValue {
  if (!date.valid) return invalidDate
  return unit === 'week' || unit === 'quarter' ? date : turned(date, { ...date.civil, [unit]: value })
}

export function isSame(a: DateValue, b: DateValue, unit: Unit | undefined): boolean {
  if (!a.valid || !b.valid) return false
  if (unit === undefined) return a.milliseconds === b.milliseconds
  const start = startOf(a, unit)
  const end = endOf(a, unit)
  return start.valid && end.valid && compareDates(start, b) <= 0 && compareDates(b, end) <= 0
}

export function isBefore(a: DateValue, b: DateValue, unit: Unit | undefined): boolean {
  if (!a.valid || !b.valid) return false
  const end = unit === undefined ? a : endOf(a, unit)
  return end.valid && compareDates(end, b) < 0
}

export function isAfter(a: DateValue, b: DateValue, unit: Unit | undefined): boolean {
  if (!a.valid || !b.valid) return false
  const start = unit === undefined ? a : startOf(a, unit)
  return start.valid && compareDates(b, start) < 0
}

/** Whole units from `b` to `a`, or milliseconds. `undefined` for an invalid date. */
export function difference(a: DateValue, b: DateValue, unit: Unit | undefined): number | undefined {
  if (!a.valid || !b.valid) return undefined
  const milliseconds = a.milliseconds - b.milliseconds
  if (unit === undefined) return milliseconds
  return Math.trunc(units(a, b, unit, milliseconds)) + 0
}

function units(a: DateValue, b: DateValue, unit: Unit, milliseconds: number): number {
  if (unit === 'month') return monthsBetween(a, b)
  if (unit === 'quarter') return monthsBetween(a, b) / 3
  if (unit === 'year') return monthsBetween(a, b) / 12
  const length = (unitSeconds[unit] as number) * 1000
  if (unit !== 'day' && unit !== 'week') return milliseconds / length
  // Days are counted on the clocks, which may stand differently.
  const clocks = (offsetAt(b.zone, b.seconds) - offsetAt(a.zone, a.seconds)) * 1000
  return (milliseconds - clocks) / length
}

function monthsBetween(a: DateValue, b: DateValue): number {
  const from = a.civil
  const to = b.civil
  if (from.day < to.day) return -monthsBetween(b, a)
  const whole = (to.year - from.year) * 12 + (to.month - from.month)
  const anchor = monthsLater(a, whole)
  const rest = b.milliseconds - anchor.milliseconds
  const other = monthsLater(a, whole + (rest < 0 ? -1 : 1))
  const span = Math.abs(anchor.milliseconds - other.milliseconds)
  return -(whole + (span === 0 ? 0 : rest / span))
}

function monthsLater(date: DateValue, months: number): DateValue {
  const later = turned(date, addMonths(date.civil, months))
  return later.valid ? later : date
}
