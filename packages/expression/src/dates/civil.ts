/** A date and time on a clock without zone. Years are proleptic Gregorian, 0 is 1 BC. */
export interface Civil {
  readonly year: number
  /** 1 to 12 */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
}

export const secondsPerDay = 86_400
/** Years that dates may have. */
export const minYear = -262_143
export const maxYear = 262_142

/** Days from 1970-01-01. */
export function daysOf(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** Seconds from 1970-01-01T00:00:00 on the same clock. */
export const secondsOf = (civil: Civil): number =>
  daysOf(civil.year, civil.month, civil.day) * secondsPerDay +
  civil.hour * 3600 +
  civil.minute * 60 +
  civil.second

export function civilOf(seconds: number): Civil {
  const days = Math.floor(seconds / secondsPerDay)
  const time = seconds - days * secondsPerDay
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
    hour: Math.floor(time / 3600),
    minute: Math.floor((time % 3600) / 60),
    second: time % 60,
  }
}

export const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Is there such a date and time? */
export const exists = ({ year, month, day, hour, minute, second }: Civil): boolean =>
  year >= minYear &&
  year <= maxYear &&
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  day <= daysInMonth(year, month) &&
  hour >= 0 &&
  hour <= 23 &&
  minute >= 0 &&
  minute <= 59 &&
  second >= 0 &&
  second <= 59

/** 1 for Monday to 7 for Sunday. */
export function weekdayOf(civil: Civil): number {
  const days = daysOf(civil.year, civil.month, civil.day)
  return ((((days + 3) % 7) + 7) % 7) + 1
}

/** 1 for the first of January. */
export const dayOfYear = (civil: Civil): number =>
  daysOf(civil.year, civil.month, civil.day) - daysOf(civil.year, 1, 1) + 1

/** The ISO 8601 week, and the year that it belongs to. */
export function isoWeek(civil: Civil): { week: number; year: number } {
  const thursday = daysOf(civil.year, civil.month, civil.day) - weekdayOf(civil) + 4
  const { year } = civilOf(thursday * secondsPerDay)
  return { week: Math.floor((thursday - daysOf(year, 1, 1)) / 7) + 1, year }
}

/** So many months later, on the same day, or on the last one of a month that has fewer. `undefined` beyond all years. */
export function addMonths(civil: Civil, months: number): Civil | undefined {
  const count = civil.year * 12 + civil.month - 1 + months
  const year = Math.floor(count / 12)
  if (year < minYear || year > maxYear) return undefined
  const month = count - year * 12 + 1
  return { ...civil, year, month, day: Math.min(civil.day, daysInMonth(year, month)) }
}
