import { compare, magnitude, multiply, negate } from './arithmetic.ts'
import {
  Decimal,
  DecimalOverflow,
  fromShort,
  isNegative,
  isZero,
  type Num,
  toDouble,
  trimmed,
} from './decimal.ts'
import { divide } from './divide.ts'
import { parseNumber } from './parse.ts'

// Up to here each factor is multiplied in turn, which is where the digits of the reference come from; beyond it by squares.
const factorsInTurn = 4096

/**
 * `base` to the power of `exponent`: exactly, or rounded at each multiplication, for a whole exponent; in doubles, to 15
 * digits, for any other. `undefined` where there is no such number or it does not fit.
 */
export function power(base: Num, exponent: Num): Num | undefined {
  if (isZero(exponent)) return 1
  if (isZero(base)) return isNegative(exponent) ? undefined : 0
  if (compare(base, 1) === 0) return 1
  const whole = trimmed(exponent)
  if (whole === 1) return base
  try {
    if (typeof whole !== 'number') return whole.scale === 0 ? undefined : fractionalPower(base, exponent)
    if (whole > 0) return wholePower(base, whole)
    const inverse = wholePower(base, -whole)
    return inverse === undefined ? undefined : divide(1, inverse)
  } catch (error) {
    if (error instanceof DecimalOverflow) return undefined
    throw error
  }
}

function wholePower(base: Num, exponent: number): Num | undefined {
  if (exponent > 0xffff_ffff && !isUnit(base)) return undefined
  if (exponent === 1) return base
  const squared = multiply(base, base)
  if (exponent === 2) return squared
  let product: Num = 1
  const squares = Math.floor(exponent / 2)
  if (exponent <= factorsInTurn) {
    for (let count = 0; count < squares && !isZero(product); count++) product = multiply(product, squared)
  } else {
    let factor = squared
    for (let left = squares; left > 0 && !isZero(product); left = Math.floor(left / 2)) {
      if (left % 2 === 1) product = multiply(product, factor)
      if (left > 1) factor = multiply(factor, factor)
    }
  }
  if (exponent % 2 === 1) product = multiply(base, product)
  return trimmed(product)
}

const isUnit = (base: Num): boolean => magnitude(trimmed(base)) === 1

function fractionalPower(base: Num, exponent: Num): Num | undefined {
  if (isNegative(base)) return undefined
  const result = toDouble(base) ** toDouble(exponent)
  return fromDouble(result, 15)
}

/** The decimal with the first `digits` digits of a double. `undefined` where it does not fit. */
export function fromDouble(value: number, digits: number): Num | undefined {
  if (!Number.isFinite(value)) return undefined
  if (value === 0) return 0
  const [mantissa, exponent] = Math.abs(value)
    .toExponential(digits - 1)
    .split('e') as [string, string]
  const significant = mantissa.replace('.', '').replace(/0+$/, '')
  const scale = significant.length - 1 - Number(exponent)
  if (scale > 28) return tinyFrom(value)
  const parsed = parseNumber(`${significant}e${-scale}`)
  return parsed === undefined ? undefined : value < 0 ? negate(parsed) : parsed
}

function tinyFrom(value: number): Num {
  const mantissa = Math.round(value * 1e28)
  return mantissa === 0 ? 0 : trimmed(new Decimal(mantissa, 28))
}

/** A double as the reference turns it into a decimal: 16 digits where they stay under 2^52, else 15. */
export function fromDoubleAsReference(value: number): Num {
  const sixteen = fromDouble(value, 16)
  const mantissa = sixteen === undefined ? 0 : typeof sixteen === 'number' ? sixteen : sixteen.mantissa
  return (mantissa > 2 ** 52 ? fromDouble(value, 15) : sixteen) ?? fromShort(0, 0)
}
