import { endOf, startOf } from '../dates/calculate.ts'
import { type Civil, dayOfYear, isoWeek, weekdayOf } from '../dates/civil.ts'
import { type DateValue, dateAt, fromMilliseconds } from '../dates/date-value.ts'
import { formatAs, shortMonth, shortWeekday } from '../dates/format.ts'
import { parseLongDuration } from '../dates/long-duration.ts'
import { momentOf, readDayAndTime, readRfc3339 } from '../dates/parse.ts'
import type { Unit } from '../dates/units.ts'
import { toCount, toWhole } from '../number/whole.ts'
import { asNumber, type Value } from '../value/value.ts'
import { definer, Failure, type FunctionDefinition, type Host, mismatch, textAt } from './definition.ts'

const dateMend = 'write it as 2023-10-15, 2023-10-15 14:30:45 or in RFC 3339'

function readDate(text: string, host: Host): DateValue {
  if (text === 'now') return fromMilliseconds(host.now(), 'UTC')
  const written = readDayAndTime(text, false) ?? readRfc3339(text)
  if (written === undefined) throw new Failure('the text is not a date', dateMend)
  return momentOf(written)
}

/** The date in UTC that a text or a number of seconds means. */
function dateOf(values: readonly Value[], host: Host): DateValue {
  const value = values[0] as Value
  if (typeof value === 'string') return readDate(value, host)
  const number = asNumber(value)
  if (number === undefined) throw mismatch('a date as text, or seconds since 1970', value)
  const seconds = toWhole(number)
  const date = seconds === undefined ? undefined : dateAt(seconds, 0, 'UTC')
  if (date === undefined || !date.valid)
    throw new Failure('the number is beyond all dates', 'give seconds since 1970')
  return date
}

function date(values: readonly Value[], host: Host): number {
  const value = values[0] as Value
  if (typeof value === 'string') return readDate(value, host).seconds
  const number = asNumber(value)
  if (number === undefined) throw mismatch('a date as text, or seconds since 1970', value)
  const seconds = toWhole(number)
  if (seconds === undefined) throw new Failure('the number is too large', 'give seconds since 1970')
  return seconds
}

const clock = /^\s*(\d{1,2}):\s*(\d{1,2})(?::\s*(\d{1,2}))?$/

function time(values: readonly Value[], host: Host): number {
  const value = values[0] as Value
  if (typeof value === 'string') {
    const match = clock.exec(value)
    if (match !== null) {
      const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)] as const
      if (hour > 23 || minute > 59 || second > 60)
        throw new Failure('there is no such time', 'write it as 14:30 or 14:30:45')
      return hour * 3600 + minute * 60 + Math.min(second, 59)
    }
    return ((readDate(value, host).seconds % 86_400) + 86_400) % 86_400
  }
  return countOf(value, 'a time as text, or seconds', 0xffff_ffff)
}

function duration(values: readonly Value[]): number {
  const value = values[0] as Value
  if (typeof value !== 'string')
    return countOf(value, 'a duration as text, or seconds', Number.MAX_SAFE_INTEGER)
  const seconds = parseLongDuration(value)
  if (seconds === undefined)
    throw new Failure('the text is not a duration', 'write one such as 1h 30m, 2days or 1w')
  return seconds
}

function countOf(value: Value, wanted: string, largest: number): number {
  const number = asNumber(value)
  if (number === undefined) throw mismatch(wanted, value)
  const count = toCount(number)
  if (count === undefined || count > largest)
    throw new Failure('the number is below 0 or too large', 'give seconds from 0 on')
  return count
}

const unitNames: Readonly<Record<string, Unit>> = {
  s: 'second',
  second: 'second',
  seconds: 'second',
  m: 'minute',
  minute: 'minute',
  minutes: 'minute',
  h: 'hour',
  hour: 'hour',
  hours: 'hour',
  d: 'day',
  day: 'day',
  days: 'day',
  w: 'week',
  week: 'week',
  weeks: 'week',
  M: 'month',
  month: 'month',
  months: 'month',
  y: 'year',
  year: 'year',
  years: 'year',
}

function unitAt(values: readonly Value[]): Unit {
  const name = textAt(values, 1)
  if (!Object.hasOwn(unitNames, name))
    throw new Failure(
      `there is no unit ${JSON.stringify(name)}`,
      'write second, minute, hour, day, week, month or year',
    )
  return unitNames[name] as Unit
}

function dateString(values: readonly Value[], host: Host): string {
  const written = formatAs(dateOf(values, host), '%Y-%m-%d %H:%M:%S%.f')
  return (written as { text: string }).text
}

const part =
  (get: (civil: Civil) => Value): FunctionDefinition['call'] =>
  (values, host) =>
    get(dateOf(values, host).civil)

const define = definer('old date')

/** The older date functions, which work on seconds since 1970 in UTC. */
export const oldDateFunctions: readonly FunctionDefinition[] = [
  define('date(value)', 'Seconds since 1970 of a date as text, or of now.', date),
  define('time(value)', 'Seconds since midnight of a time or date as text.', time),
  define('duration(text)', 'Seconds that a duration such as 1h 30m or 2days lasts.', duration),
  define(
    'year(date)',
    'The year.',
    part(civil => civil.year),
  ),
  define(
    'monthOfYear(date)',
    '1 to 12.',
    part(civil => civil.month),
  ),
  define(
    'dayOfMonth(date)',
    '1 to 31.',
    part(civil => civil.day),
  ),
  define('dayOfYear(date)', '1 to 366.', part(dayOfYear)),
  define('dayOfWeek(date)', '1 for Monday to 7 for Sunday.', part(weekdayOf)),
  define(
    'weekOfYear(date)',
    'By ISO 8601, 1 to 53.',
    part(civil => isoWeek(civil).week),
  ),
  define(
    'monthString(date)',
    'Jan to Dec.',
    part(civil => shortMonth(civil.month)),
  ),
  define(
    'weekdayString(date)',
    'Mon to Sun.',
    part(civil => shortWeekday(weekdayOf(civil))),
  ),
  define('dateString(date)', 'As text, 2023-10-15 14:30:45.', dateString),
  define(
    'startOf(date, unit)',
    'Seconds since 1970 of the beginning of the unit.',
    (values, host) => startOf(dateOf(values, host), unitAt(values)).seconds,
  ),
  define(
    'endOf(date, unit)',
    'Seconds since 1970 of the end of the unit.',
    (values, host) => endOf(dateOf(values, host), unitAt(values)).seconds,
  ),
]
