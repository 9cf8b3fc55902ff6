import { type Civil, civilOf, exists, maxYear, minYear, secondsOf } from './civil.ts'
import { momentsOf, offsetAt } from './zone.ts'

/** A moment with the time zone it is seen in, or, with `NaN` seconds, an invalid date. */
export class DateValue {
  /** From 1970-01-01T00:00:00Z; whole. */
  readonly seconds: number
  /** 0 to 999 999 999. */
  readonly nanos: number
  readonly zone: string

  constructor(seconds: number, nanos: number, zone: string) {
    this.seconds = seconds
    this.nanos = nanos
    this.zone = zone
  }

  get valid(): boolean {
    return !Number.isNaN(this.seconds)
  }

  /** What the clocks of its zone show. */
  get civil(): Civil {
    return civilOf(this.seconds + offsetAt(this.zone, this.seconds))
  }

  get milliseconds(): number {
    return this.seconds * 1000 + Math.floor(this.nanos / 1_000_000)
  }
}

export const isDate = (value: unknown): value is DateValue => value instanceof DateValue

export const invalidDate: DateValue = new DateValue(Number.NaN, 0, 'UTC')

/** Moments that a double and the calendar can hold. */
const earliest = secondsOf({ year: minYear, month: 1, day: 1, hour: 0, minute: 0, second: 0 }) + 86_400
const latest = secondsOf({ year: maxYear, month: 12, day: 31, hour: 23, minute: 59, second: 59 }) - 86_400

export function dateAt(seconds: number, nanos: number, zone: string): DateValue {
  return seconds >= earliest && seconds <= latest ? new DateValue(seconds, nanos, zone) : invalidDate
}

export function fromMilliseconds(milliseconds: number, zone: string): DateValue {
  const seconds = Math.floor(milliseconds / 1000)
  return dateAt(seconds, (milliseconds - seconds * 1000) * 1_000_000, zone)
}

/**
 * The moment at which the clocks of a zone show a time.
 *
 * @param ambiguous what a time becomes that comes twice, when the clocks are put back
 */
export function dateOfClock(
  civil: Civil,
  nanos: number,
  zone: string,
  ambiguous: 'earliest' | 'invalid',
): DateValue {
  if (!exists(civil)) return invalidDate
  const moments = momentsOf(zone, secondsOf(civil))
  if (moments.length === 0 || (moments.length > 1 && ambiguous === 'invalid')) return invalidDate
  return dateAt(moments[0] as number, nanos, zone)
}

/** Below 0, 0 or above 0. An invalid date comes before all others and equals itself. */
export function compareDates(a: DateValue, b: DateValue): number {
  if (!a.valid || !b.valid) return Number(a.valid) - Number(b.valid)
  return a.seconds - b.seconds || a.nanos - b.nanos
}

/** RFC 3339 to the second: `2023-10-15T02:00:00+02:00`, with `Z` for an offset of 0. */
export function formatDate(date: DateValue): string {
  if (!date.valid) return 'Invalid date'
  const { year, month, day, hour, minute, second } = date.civil
  const offset = offsetAt(date.zone, date.seconds)
  return `${formatYear(year)}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}${
    offset === 0 ? 'Z' : formatOffset(offset, ':')
  }`
}

export const two = (value: number): string => String(value).padStart(2, '0')

export function formatYear(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0')
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(4, '0')}`
}

/** `+02:00` or `+0200` */
export function formatOffset(seconds: number, separator: string): string {
  const minutes = Math.round(Math.abs(seconds) / 60)
  return `${seconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${separator}${two(minutes % 60)}`
}
