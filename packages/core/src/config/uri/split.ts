import { uriError } from './usage.ts'

export interface Parameter {
  readonly key: string
  /** Percent-decoded. */
  readonly value: string
  /** `key=value` as written. */
  readonly written: string
}

/** One endpoint or middleware of a URI, not yet understood. */
export interface UriPart {
  /** As written, for messages. */
  readonly text: string
  /** What stands before the `?`, as written. */
  readonly head: string
  readonly parameters: readonly Parameter[]
}

/** Splits `endpoint|middleware|…`. A literal `|` is `%7C`; what follows a `#` is ignored. */
export function splitUri(uri: string): UriPart[] {
  return uri.split('|').map((written, index) => {
    const text = written.trim()
    if (text === '') {
      throw uriError(
        uri,
        index === 0 ? 'there is no endpoint' : 'there is no middleware behind a "|"',
        index === 0
          ? 'begin with a scheme, for example file:orders.csv'
          : 'remove it, or write %7C for a literal "|"',
      )
    }
    return splitPart(text, uri)
  })
}

function splitPart(text: string, uri: string): UriPart {
  const hash = text.indexOf('#')
  // A fragment is ignored. A "#" in an unencoded password would cut off the host behind it.
  if (hash >= 0 && text.includes('@', hash) && text.includes('://')) {
    throw uriError(
      uri,
      'a "#" stands before the "@", so that the rest would be ignored',
      'write %23 for a "#" in a password',
    )
  }
  const meaning = hash < 0 ? text : text.slice(0, hash)
  const mark = meaning.indexOf('?')
  if (mark < 0) return { text, head: meaning, parameters: [] }
  const query = meaning.slice(mark + 1)
  const parameters = query
    .split('&')
    .filter(pair => pair !== '')
    .map(pair => readParameter(pair, uri))
  return { text, head: meaning.slice(0, mark), parameters }
}

function readParameter(written: string, uri: string): Parameter {
  const equals = written.indexOf('=')
  const key = decodePart(equals < 0 ? written : written.slice(0, equals), uri)
  // A parameter without a value is one that is switched on.
  const value = equals < 0 ? 'true' : decodePart(written.slice(equals + 1), uri)
  if (key === '') throw uriError(uri, 'there is a parameter without a name', 'write it as name=value')
  return { key, value, written }
}

export function decodePart(text: string, uri: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw uriError(
      uri,
      'a "%" is not followed by two hex digits of UTF-8 text',
      'write %25 for a literal "%"',
    )
  }
}
