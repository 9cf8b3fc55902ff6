import type { PathStep } from '@mqb/json'
import { readString } from '@mqb/json'
import type { Site } from '../evaluation-error.ts'
import { isEqual } from '../functions/equality.ts'
import { compare } from '../number/arithmetic.ts'
import { Decimal, maxSafe, type Num, powers } from '../number/decimal.ts'
import type { Run } from '../payload/frame.ts'
import { readSlot, type Slot } from '../payload/reader.ts'
import type { Node } from '../syntax/ast.ts'
import type { Value } from '../value/value.ts'
import { asSpelled, numericLiteral, type Ordering, order } from './comparison.ts'
import type { Context } from './context.ts'
import { payloadPath } from './reference.ts'

type Operator = Ordering | '==' | '!='

const mirrored: Readonly<Record<Operator, Operator>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

/**
 * A payload path against a literal, the usual condition: compared on the bytes, without a value being made.
 * `undefined` for anything else.
 */
export function compileByteComparison(
  operator: Operator,
  left: Node,
  right: Node,
  site: Site,
  context: Context,
): Run | undefined {
  const leftPath = payloadPath(left, context)
  const rightPath = payloadPath(right, context)
  if ((leftPath === undefined) === (rightPath === undefined)) return undefined
  const literal = leftPath === undefined ? left : right
  const path = (leftPath ?? rightPath) as PathStep[]
  const number = numericLiteral(literal)
  const text = literal.kind === 'literal' && typeof literal.value === 'string' ? literal.value : undefined
  if (
    path.length === 0 ||
    (number === undefined && (text === undefined || (operator !== '==' && operator !== '!=')))
  )
    return undefined
  const slot = context.payloadBytes(path)
  if (text !== undefined) return equalsText(slot, text, operator === '!=')
  return comparesNumber(
    slot,
    number as Num,
    leftPath === undefined ? mirrored[operator] : operator,
    site,
    context,
  )
}

function equalsText(slot: Slot, text: string, negated: boolean): Run {
  const { at } = slot
  const wanted = Buffer.from(text)
  const length = wanted.length
  return frame => {
    const start = frame.ranges[at] as number
    if (start < 0 || frame.bytes[start] !== 0x22) return negated
    const { bytes } = frame
    const end = (frame.ranges[at + 1] as number) - 1
    const given = end - start - 1
    // An escape is longer than what it stands for.
    if (given < length) return negated
    let same = given === length
    for (let index = 0; same && index < length; index++) same = bytes[start + 1 + index] === wanted[index]
    if (!same && hasEscape(bytes, start + 1, end)) same = readString(bytes, start, end + 1) === text
    return same !== negated
  }
}

function hasEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === 0x5c) return true
  return false
}

function comparesNumber(slot: Slot, literal: Num, operator: Operator, site: Site, context: Context): Run {
  const { at } = slot
  const read = readSlot(slot)
  const decide =
    operator === '==' || operator === '!='
      ? (value: Value) => isEqual(asSpelled(value), literal) === (operator === '==')
      : (
          (holds: (a: Value, b: Value) => boolean) => (value: Value) =>
            holds(asSpelled(value), literal)
        )(order(operator, site, context))
  const wanted = typeof literal === 'number' ? literal : literal.mantissa
  const scale = typeof literal === 'number' ? 0 : literal.scale
  if (typeof wanted !== 'number' || scale > 15) return frame => decide(read(frame))
  return frame => {
    const start = frame.ranges[at] as number
    if (start >= 0) {
      const difference = shortDifference(frame.bytes, start, frame.ranges[at + 1] as number, wanted, scale)
      if (!Number.isNaN(difference)) return holds(operator, difference)
    }
    return decide(read(frame))
  }
}

function holds(operator: Operator, difference: number): boolean {
  switch (operator) {
    case '==':
      return difference === 0
    case '!=':
      return difference !== 0
    case '<':
      return difference < 0
    case '<=':
      return difference <= 0
    case '>':
      return difference > 0
    case '>=':
      return difference >= 0
  }
}

/** A number of at most 15 digits, minus `wanted` / 10^`wantedScale`, by its sign. NaN for whatever else stands there. */
function shortDifference(
  bytes: Uint8Array,
  start: number,
  end: number,
  wanted: number,
  wantedScale: number,
): number {
  const negative = bytes[start] === 0x2d
  let at = negative ? start + 1 : start
  if (end - at > 16) return Number.NaN
  let mantissa = 0
  let scale = 0
  let point = 0
  for (; at < end; at++) {
    const digit = (bytes[at] as number) - 0x30
    if (digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit
      scale += point
    } else if (digit === -2) point = 1
    else return Number.NaN
  }
  if (negative) mantissa = -mantissa
  if (scale === wantedScale) return mantissa - wanted
  const aligned = scale < wantedScale ? mantissa * (powers[wantedScale - scale] as number) : mantissa
  const other = scale > wantedScale ? wanted * (powers[scale - wantedScale] as number) : wanted
  if (Math.abs(aligned) > maxSafe || Math.abs(other) > maxSafe)
    return compare(new Decimal(mantissa, scale), new Decimal(wanted, wantedScale))
  return aligned - other
}
