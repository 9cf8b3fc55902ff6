import { toWhole } from '../number/whole.ts'
import { asNumber, type Value } from '../value/value.ts'
import { type Civil, exists, secondsOf } from './civil.ts'
import { type DateValue, dateAt, dateOfClock, fromMilliseconds, invalidDate, isDate } from './date-value.ts'
import { isZone } from './zone.ts'

const day = /^\s*([+-]?\d{1,6}|[+-]\d+)-(\d{1,2})-(\d{1,2})$/
const dayAndTime =
  /^\s*([+-]?\d{1,6}|[+-]\d+)-(\d{1,2})-(\d{1,2})\s+(\d{1,2}):\s*(\d{1,2})(?::\s*(\d{1,2}))?$/
const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/

/** A date and time as it is written, with its offset where it has one. */
export interface Written {
  readonly civil: Civil
  readonly nanos: number
  readonly offset: number | undefined
}

/**
 * What `d(value, zone)` makes of a value: a text in RFC 3339 (of which the clock counts, not the offset), a date with or
 * without time, milliseconds from 1970, another date, or the name of a zone, which is the present there.
 */
export function toDate(value: Value, zone: string, now: () => number): DateValue {
  if (isDate(value)) return value
  if (typeof value === 'string') {
    const written = readRfc3339(value) ?? readDayAndTime(value, true)
    if (written !== undefined) return fromWritten(written, zone)
    return isZone(value) ? fromMilliseconds(now(), value) : invalidDate
  }
  const number = asNumber(value)
  const milliseconds = number === undefined ? undefined : toWhole(number)
  return milliseconds === undefined ? invalidDate : fromMilliseconds(milliseconds, zone)
}

function fromWritten({ civil, nanos }: Written, zone: string): DateValue {
  // A leap second is kept as the last one of its minute.
  return dateOfClock({ ...civil, second: Math.min(civil.second, 59) }, nanos, zone, 'earliest')
}

export function readRfc3339(text: string): Written | undefined {
  const match = rfc3339.exec(text)
  if (match === null) return undefined
  const civil = civilFrom(match)
  if (civil === undefined) return undefined
  const zone = match[8] as string
  const sign = zone.startsWith('-') ? -1 : 1
  const minutes = zone.length === 1 ? 0 : Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4))
  if (zone.length > 1 && Number(zone.slice(4)) > 59) return undefined
  return { civil, nanos: Number((match[7] ?? '').slice(0, 9).padEnd(9, '0')), offset: sign * minutes * 60 }
}

/** `2023-10-15`, `2023-10-15 14:30:45`, and, where `minutes` are allowed to end it, `2023-10-15 14:30`. */
export function readDayAndTime(text: string, minutes: boolean): Written | undefined {
  const match = dayAndTime.exec(text) ?? day.exec(text)
  if (match === null || (match[5] !== undefined && match[6] === undefined && !minutes)) return undefined
  const year = match[1] as string
  if (/^\d{5,}/.test(year)) return undefined
  const civil = civilFrom(match)
  return civil === undefined ? undefined : { civil, nanos: 0, offset: undefined }
}

function civilFrom(match: RegExpExecArray): Civil | undefined {
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map(at => Number(match[at] ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const civil = { year, month, day, hour, minute, second }
  return exists({ ...civil, second: Math.min(second, second === 60 ? 59 : second) }) ? civil : undefined
}

/** The moment in UTC, in seconds and nanoseconds. */
export function momentOf({ civil, nanos, offset }: Written): DateValue {
  return dateAt(secondsOf({ ...civil, second: Math.min(civil.second, 59) }) - (offset ?? 0), nanos, 'UTC')
}
