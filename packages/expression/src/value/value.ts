import type { DateValue } from '../dates/date-value.ts'
import { Decimal, type Num } from '../number/decimal.ts'
import { Interval } from './interval.ts'
import { RecordValue } from './record.ts'
import { NumberText, StructureText } from './source-text.ts'

/** What expressions work on. Nothing of it is ever changed. */
export type Value =
  | null
  | boolean
  | number
  | string
  | Decimal
  | NumberText
  | StructureText
  | RecordValue
  | Interval
  | DateValue
  | readonly Value[]

export type ValueType = 'null' | 'bool' | 'number' | 'string' | 'array' | 'object' | 'interval' | 'date'

export function typeOf(value: Value): ValueType {
  switch (typeof value) {
    case 'number':
      return 'number'
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
  }
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (value instanceof RecordValue) return 'object'
  if (value instanceof Decimal || value instanceof NumberText) return 'number'
  if (value instanceof StructureText) return value.kind
  return value instanceof Interval ? 'interval' : 'date'
}

/** The number that a value is; `undefined` for any other kind. */
export function asNumber(value: Value): Num | undefined {
  if (typeof value === 'number' || value instanceof Decimal) return value
  return value instanceof NumberText ? value.number : undefined
}

export function asArray(value: Value): readonly Value[] | undefined {
  if (Array.isArray(value)) return value as readonly Value[]
  return value instanceof StructureText && value.kind === 'array'
    ? (value.structure as readonly Value[])
    : undefined
}

export function asRecord(value: Value): RecordValue | undefined {
  if (value instanceof RecordValue) return value
  return value instanceof StructureText && value.kind === 'object'
    ? (value.structure as RecordValue)
    : undefined
}
