const formats = new Map<string, Intl.DateTimeFormat | undefined>()
const maxKnownZones = 1000

/** Is this the name of a time zone, such as `Europe/Berlin` or `UTC`? */
export const isZone = (name: string): boolean => formatOf(name) !== undefined

/** The zone of this process. */
export const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** Seconds that the clocks of a zone are ahead of UTC at a moment, in seconds from 1970. */
export function offsetAt(zone: string, seconds: number): number {
  if (isUtc(zone)) return 0
  const format = formatOf(zone)
  if (format === undefined) throw new RangeError(`there is no time zone ${JSON.stringify(zone)}`)
  let negative = false
  const fields: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(seconds * 1000)) {
    if (type === 'era') negative = value.startsWith('B')
    else if (type !== 'literal') fields[type] = Number(value)
  }
  const year = negative ? 1 - (fields.year as number) : (fields.year as number)
  const clock = new Date(0)
  clock.setUTCFullYear(year, (fields.month as number) - 1, fields.day as number)
  clock.setUTCHours((fields.hour as number) % 24, fields.minute as number, fields.second as number)
  return clock.getTime() / 1000 - Math.floor(seconds)
}

/**
 * The moments at which the clocks of a zone show a time, the earliest first: none where they were put forward over it,
 * two where they were put back over it.
 *
 * @param local seconds from 1970-01-01T00:00:00 on that clock
 */
export function momentsOf(zone: string, local: number): readonly number[] {
  if (isUtc(zone)) return [local]
  const around = [offsetAt(zone, local - 86_400), offsetAt(zone, local + 86_400)]
  const moments: number[] = []
  for (const offset of new Set(around))
    if (offsetAt(zone, local - offset) === offset) moments.push(local - offset)
  return moments.sort((one, other) => one - other)
}

/** `CET`, `PDT`, or an offset such as `+03` where nobody has letters for it. */
export function abbreviationAt(zone: string, seconds: number): string {
  if (isUtc(zone)) return 'UTC'
  for (const locale of ['en-US', 'en-GB', 'en-AU', 'en-NZ', 'en-IN', 'en-ZA', 'en-CA']) {
    const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'short' }).formatToParts(
      seconds * 1000,
    )
    const name = parts.find(part => part.type === 'timeZoneName')?.value ?? ''
    if (/^[A-Z]{2,5}$/.test(name)) return name
  }
  const minutes = Math.round(offsetAt(zone, seconds) / 60)
  const size = Math.abs(minutes)
  const digits =
    String(Math.floor(size / 60)).padStart(2, '0') +
    (size % 60 === 0 ? '' : String(size % 60).padStart(2, '0'))
  return `${minutes < 0 ? '-' : '+'}${digits}`
}

const isUtc = (zone: string): boolean => zone === 'UTC' || zone === 'Etc/UTC'

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(zone)) return formats.get(zone)
  // Zones may come from payloads, so what is remembered is bounded.
  if (formats.size >= maxKnownZones) formats.clear()
  const format = makeFormat(zone)
  formats.set(zone, format)
  return format
}

function makeFormat(zone: string): Intl.DateTimeFormat | undefined {
  // Offsets such as +02:00 are zones to Intl, but have no name.
  if (!/^[A-Za-z]/.test(zone)) return undefined
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    const known = format.resolvedOptions().timeZone
    // Names are told apart by case, which Intl does not do.
    return known.toLowerCase() === zone.toLowerCase() && known !== zone ? undefined : format
  } catch {
    return undefined
  }
}
