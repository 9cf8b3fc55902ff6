import { InvalidArgumentError } from 'commander'

/** A reader for whole numbers. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return text => {
    const value = /^\d+(?:_\d+)*$/.test(text) ? Number(text.replaceAll('_', '')) : Number.NaN
    if (Number.isSafeInteger(value) && value >= least && value <= most) return value
    throw new InvalidArgumentError(
      most === Number.MAX_SAFE_INTEGER
        ? `expected a whole number of at least ${least}`
        : `expected a whole number from ${least} to ${most}`,
    )
  }
}

const longestWaitSeconds = 30 * 24 * 3_600

/** Seconds, with fractions, as milliseconds. */
export function seconds(text: string): number {
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (value <= longestWaitSeconds) return Math.round(value * 1_000)
  throw new InvalidArgumentError(`expected seconds from 0 to ${longestWaitSeconds}`)
}

/** For options that may be given more than once. */
export const collect = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
]
