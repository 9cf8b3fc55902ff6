export type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'

const spellings: Readonly<Record<Unit, readonly string[]>> = {
  second: ['seconds', 'second', 'secs', 'sec', 's'],
  minute: ['minutes', 'minute', 'min', 'mins', 'm'],
  hour: ['hours', 'hour', 'hr', 'hrs', 'h'],
  day: ['days', 'day', 'd'],
  week: ['weeks', 'week', 'w'],
  month: ['months', 'month', 'mo', 'M'],
  quarter: ['quarters', 'quarter', 'qtr', 'q'],
  year: ['years', 'year', 'y'],
}

const units = new Map<string, Unit>(
  Object.entries(spellings).flatMap(([unit, names]) => names.map(name => [name, unit as Unit] as const)),
)

export const unitNames: readonly string[] = [...units.keys()]

export const unitOf = (name: string): Unit | undefined => units.get(name)

/** Seconds of the units that always last the same. */
export const unitSeconds: Readonly<Partial<Record<Unit, number>>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
}
