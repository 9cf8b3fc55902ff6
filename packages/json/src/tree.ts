import { JsonSyntaxError } from './error.ts'
import { skipColon, skipNumber, skipSpace, skipString, skipValue } from './scan.ts'
import { decode, readString } from './string.ts'

/** A number as it is written: every digit, and `1.0`, `-0` and `1e400` too. */
export class JsonNumber {
  readonly text: string

  /** @param text a JSON number. */
  constructor(text: string) {
    this.text = text
  }
}

/**
 * A JSON value without loss: numbers keep their text, and any name is plain data, `__proto__` too. Of a repeated key the
 * last value counts, at the place of the first.
 */
export type JsonTree =
  | null
  | boolean
  | string
  | JsonNumber
  | readonly JsonTree[]
  | ReadonlyMap<string, JsonTree>

/** A container that is being filled. */
type Open = { readonly map: Map<string, JsonTree>; key: string } | { readonly list: JsonTree[] }

/**
 * Reads the document `bytes[start, end)` whole. For what is small or seldom, such as schemas and defaults: payloads are
 * better left as bytes.
 *
 * @throws {JsonSyntaxError} the bytes are not one JSON document.
 */
export function readTree(bytes: Uint8Array, start = 0, end: number = bytes.length): JsonTree {
  // Checked first, so that what follows needs no checks of its own.
  const from = skipSpace(bytes, start, end)
  const after = skipSpace(bytes, skipValue(bytes, from, end, start, 0), end)
  if (after !== end) throw new JsonSyntaxError('more follows after the end of the document', after - start)
  return readChecked(bytes, from, end)
}

/** Does not recurse: what nests deep costs no stack. */
function readChecked(bytes: Uint8Array, from: number, end: number): JsonTree {
  const open: Open[] = []
  let p = from
  for (;;) {
    let value: JsonTree
    const c = bytes[p] as number
    if (c === 0x7b || c === 0x5b) {
      p = skipSpace(bytes, p + 1, end)
      if (bytes[p] !== (c === 0x7b ? 0x7d : 0x5d)) {
        const container: Open = c === 0x7b ? { map: new Map(), key: '' } : { list: [] }
        open.push(container)
        if ('map' in container) p = readKey(container, bytes, p, end)
        continue
      }
      value = c === 0x7b ? new Map() : []
      p++
    } else if (c === 0x22) {
      const close = skipString(bytes, p, end, from)
      value = readString(bytes, p, close)
      p = close
    } else if (c === 0x74 || c === 0x66) {
      value = c === 0x74
      p += value ? 4 : 5
    } else if (c === 0x6e) {
      value = null
      p += 4
    } else {
      const close = skipNumber(bytes, p, end, from)
      value = new JsonNumber(decode(bytes, p, close))
      p = close
    }
    for (;;) {
      const container = open.at(-1)
      if (container === undefined) return value
      if ('map' in container) container.map.set(container.key, value)
      else container.list.push(value)
      p = skipSpace(bytes, p, end)
      if (bytes[p] === 0x2c) {
        p = skipSpace(bytes, p + 1, end)
        if ('map' in container) p = readKey(container, bytes, p, end)
        break
      }
      value = 'map' in container ? container.map : container.list
      open.pop()
      p++
    }
  }
}

/** Takes the key at `at`, and returns where its value begins. */
function readKey(container: { key: string }, bytes: Uint8Array, at: number, end: number): number {
  const close = skipString(bytes, at, end, at)
  container.key = readString(bytes, at, close)
  return skipColon(bytes, close, end, at)
}

/** The value as compact JSON text. */
export function writeTree(value: JsonTree): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof JsonNumber) return value.text
  if (Array.isArray(value)) return `[${(value as readonly JsonTree[]).map(writeTree).join(',')}]`
  const members = [...(value as ReadonlyMap<string, JsonTree>)]
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${writeTree(member)}`).join(',')}}`
}
