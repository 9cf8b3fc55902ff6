import { Decimal as DecimalJs } from 'decimal.js'
import { describe, expect, it } from 'vitest'
import { add, compare, multiply, negate, remainder, subtract } from '../../src/number/arithmetic.ts'
import { DecimalOverflow, formatDecimal, type Num, toDouble, trimmed } from '../../src/number/decimal.ts'
import { divide } from '../../src/number/divide.ts'
import { parseJsonNumber, parseNumber } from '../../src/number/parse.ts'
import { power } from '../../src/number/power.ts'
import { ceil, floor, round, truncate } from '../../src/number/round.ts'
import { randomFrom } from '../differential/random.ts'

const Exact = DecimalJs.clone({
  precision: 400,
  rounding: DecimalJs.ROUND_HALF_EVEN,
  toExpNeg: -1000,
  toExpPos: 1000,
})
const limit = new Exact(2).pow(96)

/** What fits of an exact result: as many of its digits as 96 bits and 28 places hold. */
function expected(exact: DecimalJs): string {
  for (let places = 28; places >= 0; places--) {
    const rounded = exact.toDecimalPlaces(places, DecimalJs.ROUND_HALF_EVEN)
    if (rounded.abs().times(new Exact(10).pow(places)).lt(limit))
      return rounded.isZero() ? '0' : rounded.toFixed()
  }
  return 'too large'
}

const random = randomFrom(7)

/** Numbers of all three forms: short and long integers, short and long fractions. */
function generate(): string {
  const digits = (count: number): string => {
    let text = ''
    while (text.length < count) text += Math.floor(random() * 10)
    return text
  }
  const sign = random() < 0.4 ? '-' : ''
  const length = [1, 2, 4, 8, 15, 16, 17, 22, 28][Math.floor(random() * 9)] as number
  const whole = digits(length).replace(/^0+(?=\d)/, '')
  if (random() < 0.35) return sign + whole
  const places = Math.min(28 - whole.length, [1, 2, 3, 6, 12, 20][Math.floor(random() * 6)] as number)
  if (places <= 0) return sign + whole
  return `${sign}${random() < 0.3 ? '0' : whole}.${digits(places)}`
}

const number = (text: string): Num => parseNumber(text) as Num

const shown = (compute: () => Num | undefined): string => {
  try {
    const result = compute()
    return result === undefined ? 'nothing' : formatDecimal(trimmed(result))
  } catch (error) {
    if (error instanceof DecimalOverflow) return 'too large'
    throw error
  }
}

type Exactly = (a: DecimalJs, b: DecimalJs) => DecimalJs

describe('arithmetic in decimals', () => {
  it.each<[string, (a: Num, b: Num) => Num | undefined, Exactly]>([
    ['+', add, (a, b) => a.plus(b)],
    ['-', subtract, (a, b) => a.minus(b)],
    ['*', multiply, (a, b) => a.times(b)],
    ['/', divide, (a, b) => a.div(b)],
    ['%', remainder, (a, b) => a.mod(b)],
  ])('%s is exact, or rounded half to even to what 96 bits hold', (operator, ours, exactly) => {
    for (let count = 0; count < 12_000; count++) {
      const a = generate()
      const b = generate()
      const isNothing = new Exact(b).isZero() && (operator === '/' || operator === '%')
      const wanted = isNothing ? 'nothing' : expected(exactly(new Exact(a), new Exact(b)))
      expect(`${a} ${operator} ${b} = ${shown(() => ours(number(a), number(b)))}`).toBe(
        `${a} ${operator} ${b} = ${wanted}`,
      )
    }
  })

  it('compares by value, whatever the form', () => {
    for (let count = 0; count < 20_000; count++) {
      const a = generate()
      const b = random() < 0.2 ? `${a}${a.includes('.') ? '0' : '.0'}` : generate()
      if (parseNumber(b) === undefined) continue
      expect(`${a} ? ${b}: ${Math.sign(compare(number(a), number(b)))}`).toBe(
        `${a} ? ${b}: ${new Exact(a).comparedTo(b)}`,
      )
    }
  })

  it('rounds halves away from zero, cuts, and goes to the whole number below and above', () => {
    for (let count = 0; count < 5000; count++) {
      const a = generate()
      const places = Math.floor(random() * 6)
      const exact = new Exact(a)
      expect(shown(() => round(number(a), places))).toBe(
        show(exact.toDecimalPlaces(places, DecimalJs.ROUND_HALF_UP)),
      )
      expect(shown(() => truncate(number(a), places))).toBe(
        show(exact.toDecimalPlaces(places, DecimalJs.ROUND_DOWN)),
      )
      expect(shown(() => floor(number(a)))).toBe(show(exact.floor()))
      expect(shown(() => ceil(number(a)))).toBe(show(exact.ceil()))
    }
  })

  it('raises to whole powers exactly where the result fits', () => {
    for (let count = 0; count < 3000; count++) {
      const a = String(Math.floor(random() * 41) - 20) + (random() < 0.5 ? '' : '.5')
      const exponent = Math.floor(random() * 7)
      const exact = new Exact(a).pow(exponent)
      if (exact.abs().gte(limit) || exact.decimalPlaces() > 12) continue
      expect(shown(() => power(number(a), exponent))).toBe(show(exact))
    }
    expect(shown(() => power(number('1.00000001'), 4_000_000_000))).toMatch(/^\d/)
    expect(power(2, 400)).toBeUndefined()
  })

  it('says the nearest double', () => {
    for (let count = 0; count < 20_000; count++) {
      const text = generate()
      expect(toDouble(number(text))).toBe(Number(text) + 0)
    }
  })

  it('has one zero', () => {
    expect(Object.is(negate(0), 0)).toBe(true)
    expect(Object.is(multiply(0, -5), 0)).toBe(true)
    expect(Object.is(remainder(-6, 3), 0)).toBe(true)
    expect(formatDecimal(number('-0'))).toBe('0')
  })
})

describe('numbers as text', () => {
  it.each([
    ['1_000', '1000'],
    ['+5', '5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['1.50e1', '15.0'],
    ['1.5e-3', '0.0015'],
    ['1e28', '10000000000000000000000000000'],
    ['79228162514264337593543950335', '79228162514264337593543950335'],
    ['0.0000000000000000000000000001', '0.0000000000000000000000000001'],
  ])('%s is read as %s', (text, value) => {
    expect(formatDecimal(number(text))).toBe(value)
  })

  it.each([
    '',
    '.',
    '-',
    '1e',
    '1e400',
    '_1',
    '--1',
    '0x10',
    ' 1',
    '79228162514264337593543950336',
    '1e-29',
    '1.23456789012345678901234567891',
    'NaN',
    'Infinity',
  ])('%j is no number', text => {
    expect(parseNumber(text)).toBeUndefined()
  })

  it('of a payload are rounded where they have more digits than fit', () => {
    for (const text of [
      '0.12345678901234567890123456789012345',
      '1234567890123456789012345678.951',
      `1.${'0'.repeat(200)}1`,
      `0.${'0'.repeat(40)}1`,
      '1e-400',
    ])
      expect(shown(() => parseJsonNumber(text))).toBe(expected(new Exact(text)))
    expect(() => parseJsonNumber('1e400')).toThrow(DecimalOverflow)
    expect(() => parseJsonNumber(`1${'0'.repeat(5000)}`)).toThrow(DecimalOverflow)
  })
})

const show = (exact: DecimalJs): string => (exact.isZero() ? '0' : exact.toFixed())
