import { maxSafe, type Num } from './decimal.ts'
import { truncate } from './round.ts'

/** The whole part of a number, as a double. `undefined` where that would not be exact. */
export function toWhole(value: Num): number | undefined {
  const whole = truncate(value, 0)
  return typeof whole === 'number' ? whole : undefined
}

/** The whole part of a number that is not below 0: an index, a count. */
export function toCount(value: Num): number | undefined {
  const whole = toWhole(value)
  return whole === undefined || whole < 0 || whole > maxSafe ? undefined : whole
}
