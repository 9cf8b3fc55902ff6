import { dayOfYear, isoWeek, weekdayOf } from './civil.ts'
import { type DateValue, formatDate, formatOffset, formatYear, two } from './date-value.ts'
import { abbreviationAt, offsetAt } from './zone.ts'

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

export const shortMonth = (month: number): string => (months[month - 1] as string).slice(0, 3)
export const shortWeekday = (weekday: number): string => (weekdays[weekday - 1] as string).slice(0, 3)

const directive = /%(?:([-_0])?([A-Za-z%+])|(:{1,3})z|\.([369])?f|([369])f)/g

/** How a date is written that nobody gave a form for: `2023-10-15 14:30:45 CEST`. */
export const defaultForm = '%Y-%m-%d %H:%M:%S%.f %Z'

/**
 * Writes a date as a form of `strftime` says: `%Y-%m-%d %H:%M:%S`. A text instead of a date says which part is unknown.
 */
export function formatAs(
  date: DateValue,
  form: string,
): { readonly text: string } | { readonly unknown: string } {
  if (!date.valid) return { text: 'Invalid date' }
  let unknown: string | undefined
  const text = form.replace(/%(?:[-_0]?[A-Za-z%+]|:{1,3}z|\.[369]?f|[369]f|.?)/gs, part => {
    directive.lastIndex = 0
    const match = directive.exec(part)
    const written = match === null || match[0] !== part ? undefined : expand(date, match)
    if (written === undefined) unknown ??= part
    return written ?? ''
  })
  return unknown === undefined ? { text } : { unknown }
}

function expand(date: DateValue, match: RegExpExecArray): string | undefined {
  if (match[3] !== undefined) return zoneOffset(date, match[3].length)
  if (match[0].startsWith('%.')) return fraction(date, match[4])
  if (match[5] !== undefined) return nanoText(date).slice(0, Number(match[5]))
  return plain(date, match[2] as string, match[1])
}

function plain(date: DateValue, letter: string, padding: string | undefined): string | undefined {
  const { year, month, day, hour, minute, second } = date.civil
  const number = (value: number, width: number, pad = '0'): string => {
    const wanted = padding === '-' ? '' : padding === '_' ? ' ' : padding === '0' ? '0' : pad
    return wanted === '' ? String(value) : String(value).padStart(width, wanted)
  }
  const composed = (form: string): string => (formatAs(date, form) as { text: string }).text
  const weekday = weekdayOf(date.civil)
  const hour12 = hour % 12 === 0 ? 12 : hour % 12
  switch (letter) {
    case 'Y':
      return padding === undefined && year >= 0 && year <= 9999 ? formatYear(year) : yearText(year, number)
    case 'C':
      return number(Math.floor(year / 100), 2)
    case 'y':
      return number(((year % 100) + 100) % 100, 2)
    case 'G':
      return formatYear(isoWeek(date.civil).year)
    case 'g':
      return number(((isoWeek(date.civil).year % 100) + 100) % 100, 2)
    case 'm':
      return number(month, 2)
    case 'b':
    case 'h':
      return shortMonth(month)
    case 'B':
      return months[month - 1]
    case 'd':
      return number(day, 2)
    case 'e':
      return number(day, 2, ' ')
    case 'j':
      return number(dayOfYear(date.civil), 3)
    case 'a':
      return shortWeekday(weekday)
    case 'A':
      return weekdays[weekday - 1]
    case 'u':
      return number(weekday, 1)
    case 'w':
      return number(weekday % 7, 1)
    case 'U':
      return number(Math.floor((dayOfYear(date.civil) + 6 - (weekday % 7)) / 7), 2)
    case 'W':
      return number(Math.floor((dayOfYear(date.civil) + 6 - (weekday - 1)) / 7), 2)
    case 'V':
      return number(isoWeek(date.civil).week, 2)
    case 'H':
      return number(hour, 2)
    case 'k':
      return number(hour, 2, ' ')
    case 'I':
      return number(hour12, 2)
    case 'l':
      return number(hour12, 2, ' ')
    case 'M':
      return number(minute, 2)
    case 'S':
      return number(second, 2)
    case 'p':
      return hour < 12 ? 'AM' : 'PM'
    case 'P':
      return hour < 12 ? 'am' : 'pm'
    case 'f':
      return nanoText(date)
    case 's':
      return number(date.seconds, 1)
    case 'z':
      return zoneOffset(date, 0)
    case 'Z':
      return abbreviationAt(date.zone, date.seconds)
    case 'D':
    case 'x':
      return composed('%m/%d/%y')
    case 'F':
      return composed('%Y-%m-%d')
    case 'v':
      return composed('%e-%b-%Y')
    case 'R':
      return composed('%H:%M')
    case 'T':
    case 'X':
      return composed('%H:%M:%S')
    case 'r':
      return composed('%I:%M:%S %p')
    case 'c':
      return composed('%a %b %e %H:%M:%S %Y')
    case '+':
      return formatDate(date)
        .replace(/(?=[Z+-][\d:]*$)/, fraction(date, undefined))
        .replace(/Z$/, '+00:00')
    case 'n':
      return '\n'
    case 't':
      return '\t'
    case '%':
      return '%'
    default:
      return undefined
  }
}

const yearText = (year: number, number: (value: number, width: number) => string): string =>
  year < 0 || year > 9999 ? formatYear(year) : number(year, 4)

const nanoText = (date: DateValue): string => String(date.nanos).padStart(9, '0')

/** `.123`, `.123456`, or as many digits as are needed, in threes, and nothing for a whole second. */
function fraction(date: DateValue, digits: string | undefined): string {
  const nanos = nanoText(date)
  if (digits !== undefined) return `.${nanos.slice(0, Number(digits))}`
  if (date.nanos === 0) return ''
  return `.${date.nanos % 1_000_000 === 0 ? nanos.slice(0, 3) : date.nanos % 1000 === 0 ? nanos.slice(0, 6) : nanos}`
}

/** `+0200`, `+02:00`, `+02:00:00` or `+02`, by the number of colons in front of the z. */
function zoneOffset(date: DateValue, colons: number): string {
  const offset = offsetAt(date.zone, date.seconds)
  if (colons === 2) return `${formatOffset(offset, ':')}:${two(Math.abs(offset) % 60)}`
  if (colons === 3) return formatOffset(offset, ':').slice(0, 3)
  return formatOffset(offset, colons === 0 ? '' : ':')
}
