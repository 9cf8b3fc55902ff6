import {
  bigOf,
  bigPowers,
  DecimalOverflow,
  divideHalfEven,
  fromBig,
  isZero,
  mantissaLimit,
  maxScale,
  type Num,
  scaleOf,
} from './decimal.ts'

/**
 * `a` / `b`: exactly where 28 digits after the point and 96 bits suffice, else rounded half to even. `undefined` for a
 * `b` of 0. How many zeros are left at the end of an exact result (10 / 4 is 2.50) follows from digits being made nine at
 * a time, as the reference of the language makes them.
 *
 * @throws {DecimalOverflow}
 */
export function divide(a: Num, b: Num): Num | undefined {
  if (isZero(b)) return undefined
  if (isZero(a)) return 0
  if (typeof a === 'number' && typeof b === 'number' && a % b === 0) return a / b
  const aBig = bigOf(a)
  const bBig = bigOf(b)
  const negative = aBig < 0n !== bBig < 0n
  const size = quotientOf(aBig < 0n ? -aBig : aBig, bBig < 0n ? -bBig : bBig, scaleOf(a) - scaleOf(b))
  return fromBig(negative ? -size.mantissa : size.mantissa, size.scale)
}

interface Quotient {
  readonly mantissa: bigint
  readonly scale: number
}

function quotientOf(dividend: bigint, divisor: bigint, startScale: number): Quotient {
  let scale = startScale
  let quotient = dividend / divisor
  let rest = dividend - quotient * divisor
  let grown = false
  for (;;) {
    let digits: number
    if (rest === 0n) {
      if (scale >= 0) break
      digits = Math.min(9, -scale)
    } else {
      grown = true
      digits = roomFor(quotient, scale)
      if (digits === 0) {
        if (scale < 0) throw new DecimalOverflow()
        const twice = rest << 1n
        if (twice > divisor || (twice === divisor && (quotient & 1n) === 1n)) quotient += 1n
        if (quotient >= mantissaLimit) {
          quotient = divideHalfEven(quotient, 10n)
          scale--
        }
        break
      }
    }
    scale += digits
    const power = bigPowers[digits] as bigint
    rest *= power
    const more = rest / divisor
    rest -= more * divisor
    quotient = quotient * power + more
    if (quotient >= mantissaLimit) {
      if (scale <= 0) throw new DecimalOverflow()
      // The last digits overflowed: give one back, rounding by all that follows it.
      const whole = quotient * divisor + rest
      quotient = divideHalfEven(whole, divisor * 10n)
      scale--
      break
    }
  }
  return grown ? unscaled(quotient, scale) : { mantissa: quotient, scale }
}

/** How many digits, nine at most, can be added before the mantissa or the scale is full. */
function roomFor(quotient: bigint, scale: number): number {
  let digits = Math.min(9, maxScale - scale)
  while (digits > 0 && quotient * (bigPowers[digits] as bigint) >= mantissaLimit) digits--
  return digits
}

const low32 = 0xffff_ffffn

function unscaled(mantissa: bigint, scale: number): Quotient {
  let rest = mantissa
  let left = scale
  while (left >= 8 && (rest & low32) === 0n && rest % 100000000n === 0n) {
    rest /= 100000000n
    left -= 8
  }
  for (const digits of [4, 2, 1]) {
    const power = bigPowers[digits] as bigint
    if (left >= digits && rest % power === 0n) {
      rest /= power
      left -= digits
    }
  }
  return { mantissa: rest, scale: left }
}
