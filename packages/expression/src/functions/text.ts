import { asArray, type Value } from '../value/value.ts'
import { definer, Failure, type FunctionDefinition, mismatch, named, textAt } from './definition.ts'
import { isScalarEqual } from './equality.ts'
import { captures, matchesPattern } from './pattern.ts'
import { similarity } from './similarity.ts'

const encoder = new TextEncoder()

/** Bytes in UTF-8: what texts are measured and sliced by. */
export const byteLength = (text: string): number => Buffer.byteLength(text)

/**
 * The bytes `from` to `to` of a text, the last one included. `undefined` where there are none or a character would be cut.
 */
export function sliceText(text: string, from: number, to: number): string | undefined {
  if (isAscii(text)) return from > to + 1 || to >= text.length ? undefined : text.slice(from, to + 1)
  const bytes = encoder.encode(text)
  const isCut = (at: number): boolean => at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80
  if (from > to + 1 || to >= bytes.length || isCut(from) || isCut(to + 1)) return undefined
  return Buffer.from(bytes.buffer, from, to + 1 - from).toString('utf8')
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

function contains(values: readonly Value[]): boolean {
  const [where, what] = values as [Value, Value]
  if (typeof where === 'string' && typeof what === 'string') return where.includes(what)
  const elements = asArray(where)
  if (elements !== undefined) return elements.some(element => isScalarEqual(element, what))
  throw new Failure(
    `a text and a text, or an array and a value, are expected, not ${named(where)} and ${named(what)}`,
    where === null ? 'give a value for the absent case with ??' : 'convert one of them',
    where === null,
  )
}

function split(values: readonly Value[]): readonly string[] {
  const text = textAt(values, 0)
  const separator = textAt(values, 1)
  return separator === '' ? ['', ...text, ''] : text.split(separator)
}

function fuzzyMatch(values: readonly Value[]): Value {
  const wanted = textAt(values, 1)
  const first = values[0] as Value
  if (typeof first === 'string') return alike(first, wanted)
  const elements = asArray(first)
  if (elements === undefined) throw mismatch('a text or an array of texts', first)
  return elements.map(element => {
    if (typeof element !== 'string') throw mismatch('an array of texts', element)
    return alike(element, wanted)
  })
}

// Comparing takes time and memory by the product of the lengths.
const maxComparedCharacters = 2000

function alike(a: string, b: string): Value {
  const one = [...a]
  const other = [...b]
  if (Math.max(one.length, other.length) > maxComparedCharacters)
    throw new Failure(
      `texts of more than ${maxComparedCharacters} characters are not compared`,
      'compare a part of them',
    )
  return similarity(one, other)
}

const define = definer('text')

export const textFunctions: readonly FunctionDefinition[] = [
  define('upper(text)', 'The text in capitals.', values => textAt(values, 0).toUpperCase()),
  define('lower(text)', 'The text in small letters.', values => textAt(values, 0).toLowerCase()),
  define('trim(text)', 'The text without white space around it.', values => textAt(values, 0).trim()),
  define('startsWith(text, start)', 'Does the text begin so?', values =>
    textAt(values, 0).startsWith(textAt(values, 1)),
  ),
  define('endsWith(text, end)', 'Does the text end so?', values =>
    textAt(values, 0).endsWith(textAt(values, 1)),
  ),
  define('contains(where, what)', 'Is a text part of a text, or a value an element of an array?', contains),
  define('split(text, separator)', 'The parts of a text as an array.', split),
  define('matches(text, pattern)', 'Does a regular expression match anywhere in the text?', values =>
    matchesPattern(textAt(values, 0), textAt(values, 1)),
  ),
  define(
    'extract(text, pattern)',
    'What a regular expression and its groups matched, as an array; empty without a match.',
    values => captures(textAt(values, 0), textAt(values, 1)),
  ),
  define(
    'fuzzyMatch(text, other)',
    'How alike two texts are, from 0 to 1; for an array of texts, an array of numbers.',
    fuzzyMatch,
  ),
]
