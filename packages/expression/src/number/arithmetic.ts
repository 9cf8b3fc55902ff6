import {
  bigOf,
  bigPowers,
  Decimal,
  fitted,
  fromShort,
  isZero,
  maxSafe,
  type Num,
  powers,
  scaleOf,
} from './decimal.ts'

/** @throws {DecimalOverflow} */
export function add(a: Num, b: Num): Num {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (sum <= maxSafe && sum >= -maxSafe) return sum
  }
  return addDecimals(a, b)
}

/** @throws {DecimalOverflow} */
export function subtract(a: Num, b: Num): Num {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (difference <= maxSafe && difference >= -maxSafe) return difference
  }
  return addDecimals(a, negate(b))
}

function addDecimals(a: Num, b: Num): Num {
  // A zero gives its scale away: 0.00 + 1 is 1.
  if (isZero(a)) return b
  if (isZero(b)) return a
  const aScale = scaleOf(a)
  const bScale = scaleOf(b)
  const scale = Math.max(aScale, bScale)
  const aMantissa = typeof a === 'number' ? a : a.mantissa
  const bMantissa = typeof b === 'number' ? b : b.mantissa
  if (typeof aMantissa === 'number' && typeof bMantissa === 'number' && scale < powers.length) {
    const aligned = aMantissa * (powers[scale - aScale] as number)
    const other = bMantissa * (powers[scale - bScale] as number)
    const sum = aligned + other
    if (isSafe(aligned) && isSafe(other) && isSafe(sum)) return fromShort(sum, scale)
  }
  return fitted(bigAt(aMantissa, scale - aScale) + bigAt(bMantissa, scale - bScale), scale)
}

/** @throws {DecimalOverflow} */
export function multiply(a: Num, b: Num): Num {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    // + 0 makes 0 of -0.
    if (product <= maxSafe && product >= -maxSafe) return product + 0
  }
  const aMantissa = typeof a === 'number' ? a : a.mantissa
  const bMantissa = typeof b === 'number' ? b : b.mantissa
  if (aMantissa === 0 || bMantissa === 0) return 0
  const scale = scaleOf(a) + scaleOf(b)
  if (typeof aMantissa === 'number' && typeof bMantissa === 'number') {
    const product = aMantissa * bMantissa
    if (isSafe(product) && scale <= 28) return fromShort(product, scale)
    // So far below what counts that the reference gives up the zeros after the point too.
    if (scale > 47 && isWord(aMantissa) && isWord(bMantissa)) return 0
  }
  return fitted(bigAt(aMantissa, 0) * bigAt(bMantissa, 0), scale)
}

/** What is left of `a` when whole `b` are taken away; it has the sign of `a`. `undefined` for a `b` of 0. */
export function remainder(a: Num, b: Num): Num | undefined {
  if (isZero(b)) return undefined
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0
  if (isZero(a)) return 0
  const order = compare(magnitude(a), magnitude(b))
  if (order < 0) return a
  if (order === 0) return 0
  const scale = Math.max(scaleOf(a), scaleOf(b))
  return fitted(bigAt(bigOf(a), scale - scaleOf(a)) % bigAt(bigOf(b), scale - scaleOf(b)), scale)
}

export function negate(value: Num): Num {
  if (typeof value === 'number') return value === 0 ? 0 : -value
  return isZero(value) ? value : new Decimal(-value.mantissa, value.scale)
}

export function magnitude(value: Num): Num {
  return (typeof value === 'number' ? value : value.mantissa) < 0 ? negate(value) : value
}

/** Below 0, 0 or above 0, as `a` is less than, equal to or greater than `b`. */
export function compare(a: Num, b: Num): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const aScale = scaleOf(a)
  const bScale = scaleOf(b)
  const aMantissa = typeof a === 'number' ? a : a.mantissa
  const bMantissa = typeof b === 'number' ? b : b.mantissa
  if (typeof aMantissa === 'number' && typeof bMantissa === 'number') {
    const scale = Math.max(aScale, bScale)
    if (scale < powers.length) {
      const aligned = aMantissa * (powers[scale - aScale] as number)
      const other = bMantissa * (powers[scale - bScale] as number)
      if (isSafe(aligned) && isSafe(other)) return aligned - other
    }
  }
  const difference =
    bigAt(aMantissa, Math.max(0, bScale - aScale)) - bigAt(bMantissa, Math.max(0, aScale - bScale))
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

const isWord = (value: number): boolean => value <= 0xffff_ffff && value >= -0xffff_ffff

const isSafe = (value: number): boolean => value <= maxSafe && value >= -maxSafe

function bigAt(mantissa: number | bigint, shift: number): bigint {
  const big = typeof mantissa === 'bigint' ? mantissa : BigInt(mantissa)
  return shift === 0 ? big : big * (bigPowers[shift] as bigint)
}
