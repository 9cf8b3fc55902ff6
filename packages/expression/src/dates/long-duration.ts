// A month is a twelfth of a year, and a year 365.25 days.
const unitSeconds: Readonly<Record<string, number>> = {
  nsec: 1e-9,
  nanos: 1e-9,
  ns: 1e-9,
  usec: 1e-6,
  us: 1e-6,
  micros: 1e-6,
  millis: 1e-3,
  msec: 1e-3,
  ms: 1e-3,
  seconds: 1,
  second: 1,
  secs: 1,
  sec: 1,
  s: 1,
  minutes: 60,
  minute: 60,
  min: 60,
  mins: 60,
  m: 60,
  hours: 3600,
  hour: 3600,
  hrs: 3600,
  hr: 3600,
  h: 3600,
  days: 86_400,
  day: 86_400,
  d: 86_400,
  weeks: 604_800,
  week: 604_800,
  wks: 604_800,
  wk: 604_800,
  w: 604_800,
  months: 2_630_016,
  month: 2_630_016,
  M: 2_630_016,
  years: 31_557_600,
  year: 31_557_600,
  yrs: 31_557_600,
  yr: 31_557_600,
  y: 31_557_600,
}

const part = /\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)/y

/** Whole seconds of `1h 30m`, `2days`, `500ms`. `undefined` for a text that is no duration. */
export function parseLongDuration(text: string): number | undefined {
  if (text.trim() === '0') return 0
  let seconds = 0
  let at = 0
  do {
    part.lastIndex = at
    const match = part.exec(text)
    if (match === null || !Object.hasOwn(unitSeconds, match[2] as string)) return undefined
    at = part.lastIndex
    seconds += Number(match[1]) * (unitSeconds[match[2] as string] as number)
  } while (text.slice(at).trim() !== '')
  const whole = Math.floor(seconds + 1e-9)
  return Number.isSafeInteger(whole) ? whole : undefined
}
