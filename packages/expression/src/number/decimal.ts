/** A whole number that a double holds exactly, or a `Decimal`. Negative zero does not occur. */
export type Num = number | Decimal

/**
 * `mantissa` / 10^`scale`, with at most 96 bits in the mantissa and a scale of 0 to 28. The mantissa is a double where it
 * is a safe integer, which keeps short decimals fast, and a bigint otherwise. Whole numbers that are safe are no `Decimal`.
 */
export class Decimal {
  readonly mantissa: number | bigint
  readonly scale: number

  constructor(mantissa: number | bigint, scale: number) {
    this.mantissa = mantissa
    this.scale = scale
  }

  toString(): string {
    return formatDecimal(this)
  }
}

export const maxSafe = Number.MAX_SAFE_INTEGER
export const maxScale = 28
/** One more than the largest mantissa. */
export const mantissaLimit = 1n << 96n

/** Powers of ten that are exact as doubles. */
export const powers: readonly number[] = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent)
export const bigPowers: readonly bigint[] = Array.from(
  { length: 62 },
  (_, exponent) => 10n ** BigInt(exponent),
)
// What a mantissa must stay under so that it fits once the last `n` digits are dropped.
const limits: readonly bigint[] = bigPowers.slice(0, 60).map(power => mantissaLimit * power)

/** The result of a computation is beyond what 96 bits hold. */
export class DecimalOverflow extends RangeError {
  override readonly name: string = 'DecimalOverflow'

  constructor() {
    super('the result has more digits before the point than the 28 that are computed with')
  }
}

export function bigOf(value: Num): bigint {
  if (typeof value === 'number') return BigInt(value)
  return typeof value.mantissa === 'bigint' ? value.mantissa : BigInt(value.mantissa)
}

export const scaleOf = (value: Num): number => (typeof value === 'number' ? 0 : value.scale)

export const isZero = (value: Num): boolean =>
  typeof value === 'number' ? value === 0 : value.mantissa === 0

export const isNegative = (value: Num): boolean =>
  typeof value === 'number' ? value < 0 : value.mantissa < 0

/** `mantissa` / 10^`scale` for a safe mantissa. */
export function fromShort(mantissa: number, scale: number): Num {
  return scale === 0 ? mantissa : new Decimal(mantissa, scale)
}

/** `mantissa` / 10^`scale` for a mantissa that fits. */
export function fromBig(mantissa: bigint, scale: number): Num {
  return mantissa <= 9007199254740991n && mantissa >= -9007199254740991n
    ? fromShort(Number(mantissa), scale)
    : new Decimal(mantissa, scale)
}

/**
 * `mantissa` / 10^`scale` rounded half to even, to as many digits as fit.
 *
 * @throws {DecimalOverflow} it does not fit without a digit after the point either.
 */
export function fitted(mantissa: bigint, scale: number): Num {
  const size = mantissa < 0n ? -mantissa : mantissa
  let drop = scale > maxScale ? scale - maxScale : 0
  if (drop >= limits.length) return 0
  while (size >= (limits[drop] as bigint)) if (++drop > scale) throw new DecimalOverflow()
  if (drop === 0) return fromBig(mantissa, scale)
  let rounded = divideHalfEven(size, bigPowers[drop] as bigint)
  if (rounded >= mantissaLimit) {
    if (++drop > scale) throw new DecimalOverflow()
    rounded = divideHalfEven(size, bigPowers[drop] as bigint)
  }
  return fromBig(mantissa < 0n ? -rounded : rounded, scale - drop)
}

export function divideHalfEven(size: bigint, divisor: bigint): bigint {
  const quotient = size / divisor
  const twice = (size - quotient * divisor) << 1n
  return twice > divisor || (twice === divisor && (quotient & 1n) === 1n) ? quotient + 1n : quotient
}

/** Every digit, with the zeros at the end that the scale asks for: `1.50`. */
export function formatDecimal(value: Num): string {
  if (typeof value === 'number') return String(value)
  return placePoint(String(value.mantissa), value.scale)
}

/** Puts the point before the last `scale` of some digits. */
export function placePoint(digits: string, scale: number): string {
  if (scale === 0) return digits
  const sign = digits.startsWith('-') ? '-' : ''
  const size = digits.slice(sign.length).padStart(scale + 1, '0')
  return `${sign}${size.slice(0, -scale)}.${size.slice(-scale)}`
}

/** The same value without zeros at its end. */
export function trimmed(value: Num): Num {
  if (typeof value === 'number') return value
  let scale = value.scale
  if (typeof value.mantissa === 'number') {
    let mantissa = value.mantissa
    if (mantissa === 0) return 0
    while (scale > 0 && mantissa % 10 === 0) {
      mantissa /= 10
      scale--
    }
    return scale === value.scale ? value : fromShort(mantissa, scale)
  }
  let mantissa = value.mantissa
  while (scale > 0 && mantissa % 10n === 0n) {
    mantissa /= 10n
    scale--
  }
  return scale === value.scale ? value : fromBig(mantissa, scale)
}

/** The nearest double. */
export function toDouble(value: Num): number {
  if (typeof value === 'number') return value
  const { mantissa, scale } = value
  // Both are exact, so the quotient is rounded once.
  if (typeof mantissa === 'number' && scale < powers.length) return mantissa / (powers[scale] as number)
  return Number(formatDecimal(value))
}
