import { readNumber } from './parse.ts'
import { type Schema, shapesOf } from './walk.ts'

/**
 * Reads a text from an environment variable or a URI as a value for a field. A text field keeps every character; a map
 * or list is JSON; numbers and truth values are read when the field has that type.
 *
 * @param schema of the field; without it the type is guessed: true, false, null, a number, JSON, else text.
 * @returns `undefined` when the text begins like a JSON map or list, the field wants one, and it cannot be read.
 */
export function readLiteral(
  schema: Schema | undefined,
  text: string,
): { readonly value: unknown } | undefined {
  const shapes = schema === undefined ? undefined : shapesOf(schema)
  const guesses = shapes === undefined || shapes.has('any')
  if (/^\s*[[{]/.test(text) && (guesses || shapes.has('map') || shapes.has('list'))) {
    const parsed = readJson(text)
    return parsed ?? (guesses || shapes.has('string') ? { value: text } : undefined)
  }
  if (shapes?.has('string') === true) return { value: text }
  if (text === 'null' && (guesses || shapes.has('null'))) return { value: null }
  if ((text === 'true' || text === 'false') && (guesses || shapes.has('boolean')))
    return { value: text === 'true' }
  const number = guesses || shapes.has('number') ? readNumber(text) : undefined
  return { value: number ?? text }
}

function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
