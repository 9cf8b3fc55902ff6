const space = new Set([' ', '\t', '\n', '\r'])

/** A member of an object: its key decoded, its value as it stands in the text. */
export interface JsonMember {
  readonly key: string
  readonly value: string
}

/**
 * The members of the object that `text` is, values untouched: a number keeps every digit. A key that occurs twice
 * counts once, with its last value. Call it with text that `JSON.parse` accepts.
 *
 * @returns `undefined` when the text is no object.
 */
export function jsonMembers(text: string): JsonMember[] | undefined {
  let at = skipSpace(text, 0)
  if (text[at] !== '{') return undefined
  const members = new Map<string, string>()
  at = skipSpace(text, at + 1)
  while (text[at] !== '}') {
    const keyEnd = skipString(text, at)
    const key = JSON.parse(text.slice(at, keyEnd)) as string
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const valueEnd = skipValue(text, valueStart)
    members.set(key, text.slice(valueStart, valueEnd))
    at = skipSpace(text, valueEnd)
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return Array.from(members, ([key, value]) => ({ key, value }))
}

/** Without the blanks between tokens: one line, every value as it was written. */
export function compactJson(text: string): string {
  let compact = ''
  let from = 0
  let at = 0
  while (at < text.length) {
    const char = text[at] as string
    if (char === '"') at = skipString(text, at)
    else if (space.has(char)) {
      compact += text.slice(from, at)
      at = skipSpace(text, at)
      from = at
    } else at++
  }
  return compact + text.slice(from)
}

/**
 * Writes each occurrence of `delimiter` inside a string as an escape. JSON readers see the same values.
 *
 * @returns `undefined` when the delimiter occurs outside strings, or in an escape, where it cannot be hidden.
 */
export function escapeInStrings(json: string, delimiter: string): string | undefined {
  if (!json.includes(delimiter)) return json
  const hidden = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}`
  let escaped = ''
  let at = 0
  while (at < json.length) {
    if (json[at] !== '"') {
      escaped += json[at++]
      continue
    }
    const end = skipString(json, at)
    escaped += escapeString(json.slice(at + 1, end - 1), delimiter, hidden)
    at = end
  }
  return escaped.includes(delimiter) ? undefined : escaped
}

function escapeString(inner: string, delimiter: string, hidden: string): string {
  let text = ''
  let at = 0
  while (at < inner.length) {
    if (inner[at] === '\\') {
      const length = inner[at + 1] === 'u' ? 6 : 2
      text += inner.slice(at, at + length)
      at += length
    } else if (inner.startsWith(delimiter, at)) {
      text += hidden
      at++
    } else text += inner[at++]
  }
  return `"${text}"`
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && space.has(text[at] as string)) at++
  return at
}

function skipString(text: string, from: number): number {
  let at = from + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function skipValue(text: string, from: number): number {
  const first = text[from]
  if (first === '"') return skipString(text, from)
  if (first === '{' || first === '[') {
    let depth = 0
    let at = from
    do {
      const char = text[at]
      if (char === '"') {
        at = skipString(text, at)
        continue
      }
      if (char === '{' || char === '[') depth++
      else if (char === '}' || char === ']') depth--
      at++
    } while (depth > 0)
    return at
  }
  let at = from
  while (at < text.length && !',}] \t\r\n'.includes(text[at] as string)) at++
  return at
}
