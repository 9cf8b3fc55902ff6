import type { Num } from '../number/decimal.ts'
import type { RecordValue } from '../value/record.ts'
import { asArray, asNumber, asRecord, typeOf, type Value } from '../value/value.ts'

/** What a function may ask of the process. */
export interface Host {
  /** Milliseconds from 1970. */
  now(): number
  /** 0 up to, but not including, 1. */
  random(): number
}

/** A built-in function, or a method of dates (whose first argument is the date). */
export interface FunctionDefinition {
  readonly name: string
  /** As a user calls it: `round(number, places?)`. Arguments with `?` may be left out. */
  readonly signature: string
  /** One sentence for the reference. */
  readonly summary: string
  readonly group: 'text' | 'number' | 'array' | 'object' | 'type' | 'date' | 'old date'
  readonly call: (values: readonly Value[], host: Host) => Value
}

/** A function can not work with its arguments. */
export class Failure extends Error {
  readonly mend: string
  /** It was a null that it could not work with. */
  readonly missing: boolean

  constructor(what: string, mend: string, missing = false) {
    super(what)
    this.mend = mend
    this.missing = missing
  }
}

const names: Readonly<Record<string, string>> = {
  null: 'null',
  bool: 'a boolean',
  number: 'a number',
  string: 'a text',
  array: 'an array',
  object: 'an object',
  interval: 'an interval',
  date: 'a date',
}

export const named = (value: Value): string => names[typeOf(value)] as string

export function mismatch(wanted: string, value: Value, mend?: string): Failure {
  return new Failure(
    `${wanted} is expected, not ${named(value)}`,
    mend ??
      (value === null ? 'give a value for the absent case with ??' : 'convert it or take another value'),
    value === null,
  )
}

export function textAt(values: readonly Value[], at: number): string {
  const value = values[at] as Value
  if (typeof value !== 'string')
    throw mismatch('a text', value, value === null ? undefined : 'convert it with string(…)')
  return value
}

export function numberAt(values: readonly Value[], at: number): Num {
  const value = values[at] as Value
  const number = asNumber(value)
  if (number === undefined)
    throw mismatch('a number', value, typeof value === 'string' ? 'convert it with number(…)' : undefined)
  return number
}

export function arrayAt(values: readonly Value[], at: number): readonly Value[] {
  const value = values[at] as Value
  const array = asArray(value)
  if (array === undefined) throw mismatch('an array', value)
  return array
}

export function recordAt(values: readonly Value[], at: number): RecordValue {
  const value = values[at] as Value
  const record = asRecord(value)
  if (record === undefined) throw mismatch('an object', value)
  return record
}

export function numbersAt(values: readonly Value[], at: number): readonly Num[] {
  return arrayAt(values, at).map(value => {
    const number = asNumber(value)
    if (number === undefined)
      throw mismatch('an array of numbers', value, 'filter or convert its elements first')
    return number
  })
}

export function notEmpty<T>(elements: readonly T[]): readonly T[] {
  if (elements.length === 0)
    throw new Failure('the array is empty', 'test for it first, as in len(items) > 0 ? max(items) : 0')
  return elements
}

/** Makes the definitions of one group. */
export const definer =
  (group: FunctionDefinition['group']) =>
  (signature: string, summary: string, call: FunctionDefinition['call']): FunctionDefinition => ({
    name: signature.slice(0, signature.indexOf('(')),
    signature,
    summary,
    group,
    call,
  })
