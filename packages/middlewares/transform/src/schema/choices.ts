import { JsonNumber, type JsonTree, readTree, writeTree } from '@mqb/json'

/** The values of `enum`. Numbers are compared by value, objects whatever the order of their members. */
export interface Choices {
  readonly allowsNull: boolean
  /** Whether the checked JSON value at `start` to `end` is one of them. */
  has(bytes: Buffer, start: number, end: number): boolean
  /** The values as an error shows them. */
  readonly shown: string
}

export function createChoices(values: readonly JsonTree[]): Choices {
  const texts = values.map(value => Buffer.from(writeTree(value)))
  const shown = texts.map(text => text.toString()).join(', ')
  return {
    allowsNull: values.includes(null),
    shown: shown.length > 200 ? `${shown.slice(0, 200)}…` : shown,
    has(bytes, start, end) {
      for (const text of texts) if (sameBytes(text, bytes, start, end)) return true
      const value = readTree(bytes, start, end)
      return values.some(choice => equal(choice, value))
    },
  }
}

function sameBytes(text: Buffer, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false
  for (let at = 0; at < text.length; at++) if (text[at] !== bytes[start + at]) return false
  return true
}

/** Recurses only as deep as `choice` nests, which comes from the configuration. */
function equal(choice: JsonTree, value: JsonTree): boolean {
  if (choice instanceof JsonNumber)
    return value instanceof JsonNumber && canonical(choice.text) === canonical(value.text)
  if (Array.isArray(choice))
    return (
      Array.isArray(value) &&
      choice.length === value.length &&
      choice.every((element, at) => equal(element as JsonTree, value[at] as JsonTree))
    )
  if (choice instanceof Map) {
    if (!(value instanceof Map) || choice.size !== value.size) return false
    for (const [key, member] of choice as ReadonlyMap<string, JsonTree>)
      if (!value.has(key) || !equal(member, value.get(key) as JsonTree)) return false
    return true
  }
  return choice === value
}

/** The same text for the same number: significant digits and a power of ten. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`
}
