import { multiply } from '../number/arithmetic.ts'
import type { Num } from '../number/decimal.ts'
import { toWhole } from '../number/whole.ts'
import { type Unit, unitOf, unitSeconds } from './units.ts'

/** Added to a date in this order. */
export interface Duration {
  readonly seconds: number
  readonly months: number
  readonly years: number
}

const part = /\s*(\d[\d\s]*)([A-Za-z]+)/y

/** `1d`, `2 h 30 min`, `1mo 2d`. Of months, quarters and years the last one counts. A text says what is wrong. */
export function parseDuration(text: string): Duration | string {
  const duration = { seconds: 0, months: 0, years: 0 }
  if (text.trim() === '') return 'the duration is empty'
  let at = 0
  while (at < text.length && text.slice(at).trim() !== '') {
    part.lastIndex = at
    const match = part.exec(text)
    if (match === null) return 'a duration is a number and a unit, such as 1d or 2h 30min'
    at = part.lastIndex
    const count = Number((match[1] as string).replace(/\s/g, ''))
    const unit = unitOf(match[2] as string)
    if (unit === undefined) return `there is no unit ${JSON.stringify(match[2])}`
    if (!Number.isSafeInteger(count)) return 'the duration is too long'
    const seconds = unitSeconds[unit]
    if (seconds !== undefined) duration.seconds += count * seconds
    else if (count > 0x7fff_ffff) return 'the duration is too long'
    else if (unit === 'month') duration.months = count
    else if (unit === 'quarter') duration.months = count * 3
    else duration.years = count
  }
  return Number.isSafeInteger(duration.seconds) ? duration : 'the duration is too long'
}

/** So many of a unit; fractions only of units that always last the same. */
export function durationOf(count: Num, unit: Unit): Duration | string {
  const seconds = unitSeconds[unit]
  const whole = toWhole(seconds === undefined ? count : multiply(count, seconds))
  if (whole === undefined) return 'the duration is too long'
  if (seconds !== undefined) return { seconds: whole, months: 0, years: 0 }
  if (Math.abs(whole) > 0x7fff_ffff) return 'the duration is too long'
  return {
    seconds: 0,
    months: unit === 'month' ? whole : unit === 'quarter' ? whole * 3 : 0,
    years: unit === 'year' ? whole : 0,
  }
}

export const negated = ({ seconds, months, years }: Duration): Duration => ({
  seconds: -seconds,
  months: -months,
  years: -years,
})
