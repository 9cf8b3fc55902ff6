import { RE2JS, RE2JSSyntaxException } from 're2js'
import { Failure } from './definition.ts'

const compiled = new Map<string, RE2JS>()
const maxCompiled = 200

/**
 * A regular expression that needs time by the length of the text only: no back-references, no look-around. Remembered,
 * since most stand in the expression itself.
 *
 * @throws {Failure} it can not be read
 */
export function compilePattern(pattern: string): RE2JS {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  let made: RE2JS
  try {
    made = RE2JS.compile(pattern)
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    throw new Failure(
      `the regular expression can not be read: ${error.message}`,
      'write it as in RE2, without look-around and back-references',
    )
  }
  if (compiled.size >= maxCompiled) compiled.delete(compiled.keys().next().value as string)
  compiled.set(pattern, made)
  return made
}

export const matchesPattern = (text: string, pattern: string): boolean =>
  compilePattern(pattern).matcher(text).find()

export function captures(text: string, pattern: string): readonly string[] {
  const matcher = compilePattern(pattern).matcher(text)
  if (!matcher.find()) return []
  const found: string[] = []
  for (let group = 0; group <= matcher.groupCount(); group++) {
    const part = matcher.group(group)
    if (part !== null && part !== undefined) found.push(part)
  }
  return found
}
