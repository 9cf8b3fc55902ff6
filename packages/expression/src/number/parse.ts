import {
  bigPowers,
  DecimalOverflow,
  fitted,
  fromBig,
  fromShort,
  mantissaLimit,
  maxScale,
  type Num,
} from './decimal.ts'

// Digits may be grouped by underscores once the first one has been seen.
const plain = /^([+-]?)(\d[\d_]*)?(?:\.([\d_]*))?$/
const scientific = /^([+-]?)(\d[\d_]*)?(?:\.([\d_]*))?[eE]([+-]?\d{1,9})$/

/** The number that a text spells exactly: `12`, `-1.50`, `.5`, `1_000`, `2.5e3`. `undefined` where it spells none that fits. */
export function parseNumber(text: string): Num | undefined {
  const match = plain.exec(text) ?? scientific.exec(text)
  if (match === null) return undefined
  const whole = (match[2] ?? '').replaceAll('_', '')
  const rawFraction = match[3] ?? ''
  if (whole === '' && (rawFraction.startsWith('_') || rawFraction === '')) return undefined
  const fraction = rawFraction.replaceAll('_', '')
  if (whole === '' && fraction === '') return undefined
  return exactly(match[1] === '-', whole + fraction, fraction.length, Number(match[4] ?? 0))
}

function exactly(negative: boolean, digits: string, fraction: number, exponent: number): Num | undefined {
  const scale = fraction - exponent
  if (scale > maxScale) return undefined
  const significant = digits.replace(/^0+/, '')
  if (significant === '') return fromShort(0, Math.max(0, scale))
  if (significant.length + Math.max(0, -scale) > 29) return undefined
  const size = BigInt(significant) * (bigPowers[Math.max(0, -scale)] as bigint)
  if (size >= mantissaLimit) return undefined
  return fromBig(negative ? -size : size, Math.max(0, scale))
}

/**
 * The number that a JSON number spells, rounded half to even where it has more digits than fit.
 *
 * @throws {DecimalOverflow} it is larger than any number that is computed with.
 */
export function parseJsonNumber(text: string): Num {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (match === null) throw new TypeError(`${JSON.stringify(text)} is no JSON number`)
  const fraction = match[3] ?? ''
  const digits = ((match[2] as string) + fraction).replace(/^0+/, '')
  if (digits === '') return 0
  let scale = fraction.length - Number(match[4] ?? 0)
  // Far more digits than matter are cut before they become a bigint; one that stands for them keeps the rounding right.
  const keep = 62
  let significant = digits
  if (digits.length > keep) {
    significant = `${digits.slice(0, keep)}${/[1-9]/.test(digits.slice(keep)) ? '1' : '0'}`
    scale -= digits.length - significant.length
  }
  if (significant.length - scale > 29) throw new DecimalOverflow()
  if (scale < 0) {
    significant += '0'.repeat(-scale)
    scale = 0
  }
  if (scale - significant.length > maxScale) return 0
  const size = BigInt(significant)
  return fitted(match[1] === '-' ? -size : size, scale)
}
