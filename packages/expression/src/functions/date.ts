import {
  addDuration,
  difference,
  endOf,
  isAfter,
  isBefore,
  isSame,
  quarterOf,
  setUnit,
  startOf,
} from '../dates/calculate.ts'
import { type Civil, dayOfYear, isLeapYear, isoWeek, weekdayOf } from '../dates/civil.ts'
import { DateValue, fromMilliseconds, isDate } from '../dates/date-value.ts'
import { type Duration, durationOf, negated, parseDuration } from '../dates/duration.ts'
import { defaultForm, formatAs } from '../dates/format.ts'
import { toDate } from '../dates/parse.ts'
import { type Unit, unitOf } from '../dates/units.ts'
import { isZone, localZone } from '../dates/zone.ts'
import { toCount } from '../number/whole.ts'
import { asNumber, type Value } from '../value/value.ts'
import {
  definer,
  Failure,
  type FunctionDefinition,
  type Host,
  mismatch,
  numberAt,
  textAt,
} from './definition.ts'

const unitMend = 'write second, minute, hour, day, week, month, quarter or year'

function dateAt(values: readonly Value[]): DateValue {
  const value = values[0] as Value
  if (!isDate(value)) throw mismatch('a date', value, value === null ? undefined : 'make one with d(…)')
  return value
}

function unitAt(values: readonly Value[], at: number): Unit {
  const name = textAt(values, at)
  const unit = unitOf(name)
  if (unit === undefined) throw new Failure(`there is no unit ${JSON.stringify(name)}`, unitMend)
  return unit
}

const optionalUnit = (values: readonly Value[], at: number): Unit | undefined =>
  values.length > at ? unitAt(values, at) : undefined

function zoneAt(values: readonly Value[], at: number): string {
  const zone = textAt(values, at)
  if (!isZone(zone))
    throw new Failure(
      `there is no time zone ${JSON.stringify(zone)}`,
      'write a name such as Europe/Berlin or UTC',
    )
  return zone
}

function durationAt(values: readonly Value[]): Duration {
  const first = values[1] as Value
  const number = asNumber(first)
  if (typeof first !== 'string' && number === undefined)
    throw mismatch('a duration such as 1d, or a number', first)
  if (number !== undefined && values.length < 3)
    throw new Failure('a unit is expected after the number', unitMend)
  const duration =
    number === undefined ? parseDuration(first as string) : durationOf(number, unitAt(values, 2))
  if (typeof duration === 'string') throw new Failure(duration, 'write a duration such as 1d or 2h 30min')
  return duration
}

function format(values: readonly Value[]): string {
  const form = values.length > 1 ? textAt(values, 1) : defaultForm
  const written = formatAs(dateAt(values), form)
  if ('unknown' in written)
    throw new Failure(
      `there is no ${JSON.stringify(written.unknown)} in a form of a date`,
      'write one such as %Y-%m-%d %H:%M:%S',
    )
  return written.text
}

function set(values: readonly Value[]): DateValue {
  const count = toCount(numberAt(values, 2))
  if (count === undefined)
    throw new Failure('the value is below 0 or too large', 'give a whole number from 0 on')
  return setUnit(dateAt(values), unitAt(values, 1), count)
}

const other = (values: readonly Value[], host: Host): DateValue =>
  toDate(values[1] as Value, localZone(), host.now)

type Comparison = (a: DateValue, b: DateValue, unit: Unit | undefined) => boolean

const compared =
  (comparison: Comparison): FunctionDefinition['call'] =>
  (values, host) =>
    comparison(dateAt(values), other(values, host), optionalUnit(values, 2))

const getter =
  (get: (date: DateValue) => Value): FunctionDefinition['call'] =>
  values => {
    const date = dateAt(values)
    return date.valid ? get(date) : null
  }

const ofClock = (get: (civil: Civil) => Value): FunctionDefinition['call'] => getter(date => get(date.civil))

/** Is it the day that lies so many days from today, in the zone of this process? */
const onDay =
  (days: number): FunctionDefinition['call'] =>
  (values, host) => {
    const date = dateAt(values)
    if (!date.valid) return null
    const day = fromMilliseconds(host.now() + days * 86_400_000, localZone())
    return isSame(date, day, 'day')
  }

const define = definer('date')

export const dateFunctions: readonly FunctionDefinition[] = [
  define(
    'd(value?, zone?)',
    'A date from text (2023-10-15, 2023-10-15 14:30, RFC 3339), from milliseconds since 1970, or the present.',
    (values, host) => {
      const zone = values.length > 1 ? zoneAt(values, 1) : localZone()
      return values.length === 0
        ? fromMilliseconds(host.now(), zone)
        : toDate(values[0] as Value, zone, host.now)
    },
  ),
]

/** Methods of dates. The date is the first argument of the call, and not part of the signature. */
export const dateMethods: readonly FunctionDefinition[] = [
  define('add(amount, unit?)', "Later: add('1d 2h') or add(1, 'day').", values =>
    addDuration(dateAt(values), durationAt(values)),
  ),
  define('sub(amount, unit?)', "Earlier: sub('1d 2h') or sub(1, 'day').", values =>
    addDuration(dateAt(values), negated(durationAt(values))),
  ),
  define('set(unit, value)', 'The date with its second, minute, hour, day, month or year set.', set),
  define('format(form?)', 'The date as text, in a form of strftime.', format),
  define('startOf(unit)', 'The beginning of the unit that the date lies in.', values =>
    startOf(dateAt(values), unitAt(values, 1)),
  ),
  define('endOf(unit)', 'The end of the unit that the date lies in.', values =>
    endOf(dateAt(values), unitAt(values, 1)),
  ),
  define(
    'diff(other, unit?)',
    'Whole units from the other date to this one, or milliseconds.',
    (values, host) => {
      const date = dateAt(values)
      return difference(date, other(values, host), optionalUnit(values, 2)) ?? null
    },
  ),
  define('tz(zone)', 'The same moment in another time zone.', values => {
    const date = dateAt(values)
    const zone = zoneAt(values, 1)
    return date.valid ? new DateValue(date.seconds, date.nanos, zone) : date
  }),
  define('isSame(other, unit?)', 'The same moment, or in the same unit?', compared(isSame)),
  define('isBefore(other, unit?)', 'Earlier, by the moment or by the unit?', compared(isBefore)),
  define('isAfter(other, unit?)', 'Later, by the moment or by the unit?', compared(isAfter)),
  define(
    'isSameOrBefore(other, unit?)',
    'Not later?',
    compared((a, b, unit) => isBefore(a, b, unit) || isSame(a, b, unit)),
  ),
  define(
    'isSameOrAfter(other, unit?)',
    'Not earlier?',
    compared((a, b, unit) => isAfter(a, b, unit) || isSame(a, b, unit)),
  ),
  define(
    'second()',
    '0 to 59.',
    ofClock(civil => civil.second),
  ),
  define(
    'minute()',
    '0 to 59.',
    ofClock(civil => civil.minute),
  ),
  define(
    'hour()',
    '0 to 23.',
    ofClock(civil => civil.hour),
  ),
  define(
    'day()',
    'Of the month, 1 to 31.',
    ofClock(civil => civil.day),
  ),
  define('dayOfYear()', '1 to 366.', ofClock(dayOfYear)),
  define(
    'week()',
    'By ISO 8601, 1 to 53.',
    ofClock(civil => isoWeek(civil).week),
  ),
  define('weekday()', '1 for Monday to 7 for Sunday.', ofClock(weekdayOf)),
  define(
    'month()',
    '1 to 12.',
    ofClock(civil => civil.month),
  ),
  define('quarter()', '1 to 4.', ofClock(quarterOf)),
  define(
    'year()',
    'The year.',
    ofClock(civil => civil.year),
  ),
  define(
    'timestamp()',
    'Milliseconds since 1970.',
    getter(date => date.milliseconds),
  ),
  define(
    'offsetName()',
    'The name of its time zone.',
    getter(date => date.zone),
  ),
  define('isValid()', 'Is it a date at all?', values => dateAt(values).valid),
  define('isYesterday()', 'In the time zone of the process.', onDay(-1)),
  define('isToday()', 'In the time zone of the process.', onDay(0)),
  define('isTomorrow()', 'In the time zone of the process.', onDay(1)),
  define(
    'isLeapYear()',
    'Does its year have 366 days?',
    ofClock(civil => isLeapYear(civil.year)),
  ),
]
