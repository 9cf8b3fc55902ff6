import { compareDates, type DateValue, formatDate } from '../dates/date-value.ts'
import { compare } from '../number/arithmetic.ts'
import { formatDecimal, type Num } from '../number/decimal.ts'

export type Bracket = '(' | ')' | '[' | ']'

/** `[1..5)` and its like. A left `]` or `)` turns it inside out: `]1..5[` holds what is up to 1 or from 5 on. */
export class Interval {
  readonly left: Num | DateValue
  readonly right: Num | DateValue
  readonly open: Bracket
  readonly close: Bracket

  /** @param right of the same kind as `left` */
  constructor(open: Bracket, left: Num | DateValue, right: Num | DateValue, close: Bracket) {
    this.open = open
    this.left = left
    this.right = right
    this.close = close
  }

  /** False also for a value of another kind than the bounds. */
  includes(value: Num | DateValue): boolean {
    const left = order(this.left, value)
    const right = order(this.right, value)
    if (left === undefined || right === undefined) return false
    const outside = this.open === ')' || this.open === ']'
    const first =
      this.open === '(' ? left < 0 : this.open === '[' ? left <= 0 : this.open === ')' ? left > 0 : left >= 0
    const second =
      this.close === ')'
        ? right > 0
        : this.close === ']'
          ? right >= 0
          : this.close === '('
            ? right < 0
            : right <= 0
    return outside ? first || second : first && second
  }

  toString(): string {
    return `${this.open}${bound(this.left)}..${bound(this.right)}${this.close}`
  }
}

function order(bound: Num | DateValue, value: Num | DateValue): number | undefined {
  if (isDate(bound)) return isDate(value) ? compareDates(bound, value) : undefined
  return isDate(value) ? undefined : compare(bound, value)
}

const isDate = (value: Num | DateValue): value is DateValue => typeof value === 'object' && 'zone' in value

const bound = (value: Num | DateValue): string => (isDate(value) ? formatDate(value) : formatDecimal(value))
