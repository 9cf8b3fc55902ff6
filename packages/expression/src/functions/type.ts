import { formatDecimal, isZero, type Num } from '../number/decimal.ts'
import { parseNumber } from '../number/parse.ts'
import { asNumber, typeOf, type Value } from '../value/value.ts'
import { definer, Failure, type FunctionDefinition, mismatch } from './definition.ts'

/** What templates and `string()` write. */
export function toText(value: Value): string {
  if (typeof value === 'string') return value
  if (value === null || typeof value === 'boolean') return String(value)
  const number = asNumber(value)
  if (number === undefined)
    throw mismatch(
      'a text, a number, a boolean or null',
      value,
      typeOf(value) === 'date' ? 'write it with .format(…)' : undefined,
    )
  return formatDecimal(number)
}

export function toNumber(value: Value): Num {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string') {
    const number = parseNumber(value.trim())
    if (number === undefined) throw new Failure('the text is not a number', 'test it first with isNumeric(…)')
    return number
  }
  const number = asNumber(value)
  if (number === undefined) throw mismatch('a number, a text or a boolean', value)
  return number
}

function toBoolean(value: Value): boolean {
  if (value === null) return false
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return value.trim() === 'true'
  const number = asNumber(value)
  return number === undefined || !isZero(number)
}

const isNumeric = (value: Value): boolean =>
  typeof value === 'string' ? parseNumber(value.trim()) !== undefined : typeOf(value) === 'number'

const defineType = definer('type')
const define = (signature: string, summary: string, call: (value: Value) => Value): FunctionDefinition =>
  defineType(signature, summary, values => call(values[0] as Value))

export const typeFunctions: readonly FunctionDefinition[] = [
  define('string(value)', 'A number, boolean or null as text.', toText),
  define('number(value)', 'The number that a text spells; 1 for true, 0 for false.', toNumber),
  define(
    'bool(value)',
    'false for null, 0 and the text false; true for other numbers, arrays, objects, and the text true.',
    toBoolean,
  ),
  define('isNumeric(value)', 'Is it a number, or a text that spells one?', isNumeric),
  define('type(value)', 'null, bool, number, string, array, object, interval or date.', value =>
    typeOf(value),
  ),
]
