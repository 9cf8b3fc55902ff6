import type { Secrets } from '../contract/opening.ts'
import { scrubShapes } from './secret-shapes.ts'

/** What stands in a text where a secret was. */
export const hidden = '***'

const shortestSearched = 4
/** Beyond this length a secret (a key file, say) is searched line by line. */
const longestWhole = 1024
const shortestLine = 12

/**
 * Remembers the secret values in use and takes them out of texts: as they are, percent-encoded in any mixture, with
 * JSON escapes, and as base64, base64url or hex, also in the middle of a longer encoded text (`user:password` of an
 * `Authorization` header). Passwords in URLs and `password=…` go too, known or not.
 */
export function createSecrets(): Secrets {
  const values = new Set<string>()
  let pattern: RegExp | undefined

  const remember = (value: string): void => {
    if (value.length < shortestSearched || values.has(value)) return
    values.add(value)
    pattern = undefined
  }

  return {
    add(value) {
      if (value.length <= longestWhole) remember(value)
      if (!/[\r\n]/.test(value) && value.length <= longestWhole) return
      for (const line of value.split(/\r?\n/))
        if (line.length >= shortestLine && !line.startsWith('-----'))
          for (let at = 0; at < line.length; at += longestWhole) remember(line.slice(at, at + longestWhole))
    },
    scrub(text) {
      if (values.size > 0) {
        pattern ??= patternOf(values)
        text = text.replace(pattern, hidden)
      }
      return scrubShapes(text)
    },
  }
}

function patternOf(values: Iterable<string>): RegExp {
  // A secret that holds another one must be tried first, or its remainder would stay.
  const longestFirst = [...values].sort((a, b) => b.length - a.length)
  return new RegExp(longestFirst.flatMap(formsOf).join('|'), 'g')
}

/** Regular expressions, one per way of writing a secret. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  return [textForm(value), hexForm(bytes), ...[0, 1, 2].map(shift => base64Form(bytes, shift))].filter(
    form => form !== '',
  )
}

/** Each character as it is, percent-encoded, or escaped as in JSON. */
function textForm(value: string): string {
  let form = ''
  for (const character of value) form += characterForm(character)
  return form
}

function characterForm(character: string): string {
  if (/[A-Za-z0-9]/.test(character)) return `(?:${character}|${percentForm(character)})`
  const forms = new Set([escapeForPattern(character), percentForm(character)])
  forms.add(escapeForPattern(JSON.stringify(character).slice(1, -1)))
  forms.add(character.split('').map(unicodeEscape).join(''))
  if (character === ' ') forms.add('\\+')
  if (character === '/') forms.add('\\\\/')
  // The longer forms first: an escaped quote must not leave its backslash behind.
  return `(?:${[...forms].sort((a, b) => b.length - a.length).join('|')})`
}

/** Also encoded twice, as in a URL that is the parameter of another one. */
const percentForm = (character: string): string =>
  [...Buffer.from(character)]
    .map(byte => `%(?:25)?${eitherCase(byte.toString(16).padStart(2, '0'))}`)
    .join('')

const unicodeEscape = (unit: string): string =>
  `\\\\u${eitherCase(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`

const hexForm = (bytes: Buffer): string => eitherCase(bytes.toString('hex'))

const eitherCase = (hex: string): string => hex.replace(/[a-f]/g, digit => `[${digit}${digit.toUpperCase()}]`)

/**
 * The characters that the bytes alone decide when `shift` bytes stand before them, so that the secret is found
 * wherever it begins in an encoded text. Both alphabets, and the percent-encoded signs of the first.
 */
function base64Form(bytes: Buffer, shift: number): string {
  const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  const first = [0, 2, 3][shift] as number
  const last = (shift + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1
  const core = encoded.slice(first, last)
  if (core.length < 5) return ''
  return core.replace(/[+/]/g, sign => (sign === '+' ? '(?:\\+|-|%2B)' : '(?:/|_|%2F)'))
}

const escapeForPattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
