import { readString } from '@mqb/json'
import { type FailureKind, TransformFailure } from '../failure.ts'
import { pathText } from '../path-text.ts'
import type { Edits } from './edits.ts'
import { anyIndex, type SchemaNode } from './node.ts'
import { isPlainNumber, numberTextOf } from './number-text.ts'
import type { Scratch } from './scratch.ts'
import { shown } from './shown.ts'

export const nullText = Buffer.from('null')
const trueText = Buffer.from('true')
const falseText = Buffer.from('false')

/** What is done with values that are not of the type that is wanted, with nulls, and with lists of choices. */
export class Checks {
  /** Positions in the arrays around the value that is being looked at. */
  readonly indices: number[] = []
  private readonly coerce: boolean
  private readonly edits: Edits
  private readonly scratch: Scratch

  constructor(coerce: boolean, edits: Edits, scratch: Scratch) {
    this.coerce = coerce
    this.edits = edits
    this.scratch = scratch
  }

  /** A text that stands where another type is wanted. */
  readText(node: SchemaNode, bytes: Buffer, at: number, close: number): void {
    if (!this.coerce || node.readings.length === 0)
      throw this.failure(node, 'type', `expected ${node.expected}, got string ${shown(bytes, at, close)}`)
    for (const reading of node.readings) {
      if (reading === 'boolean' ? this.readBoolean(node, bytes, at, close) : false) return
      if (reading !== 'boolean' && this.readNumber(node, bytes, at, close, reading === 'integer')) return
    }
    throw this.failure(
      node,
      'coercion',
      `cannot coerce string ${shown(bytes, at, close)} to ${node.readings.join(' or ')}`,
    )
  }

  private readNumber(node: SchemaNode, bytes: Buffer, at: number, close: number, whole: boolean): boolean {
    if (isPlainNumber(bytes, at + 1, close - 1, whole)) {
      this.choose(node, bytes, at + 1, close - 1)
      this.edits.add(at, close, bytes, at + 1, close - 1)
      return true
    }
    const text = numberTextOf(readString(bytes, at, close), whole)
    if (text === undefined) return false
    const from = this.scratch.text(text)
    this.choose(node, this.scratch.bytes, from, this.scratch.top)
    this.edits.add(at, close, undefined, from, this.scratch.top)
    return true
  }

  private readBoolean(node: SchemaNode, bytes: Buffer, at: number, close: number): boolean {
    if (close - at > 40) return false
    const text = readString(bytes, at, close)
    const isTrue = text === 'true' || text === '1'
    if (!isTrue && text !== 'false' && text !== '0') return false
    const value = isTrue ? trueText : falseText
    this.choose(node, value, 0, value.length)
    this.edits.add(at, close, value, 0, value.length)
    return true
  }

  /** A null, or an empty text that is read as one. */
  nothing(node: SchemaNode, at: number, close: number, isText: boolean): void {
    if (!node.nullable && node.fallback !== undefined) {
      this.edits.add(at, close, node.fallback, 0, node.fallback.length)
      return
    }
    if (!node.nullable && node.types !== 0)
      throw isText
        ? this.failure(
            node,
            'coercion',
            `an empty string is read as null, and null is not allowed: expected ${node.expected}`,
          )
        : this.failure(node, 'type', `expected ${node.expected}, got null`)
    if (!node.nullable && node.choices?.allowsNull === false)
      throw this.failure(node, 'enum', `null is none of ${node.choices.shown}`)
    if (isText) this.edits.add(at, close, nullText, 0, nullText.length)
  }

  choose(node: SchemaNode, bytes: Buffer, from: number, to: number): void {
    if (node.choices === undefined || node.choices.has(bytes, from, to)) return
    throw this.failure(node, 'enum', `${shown(bytes, from, to)} is none of ${node.choices.shown}`)
  }

  failure(node: SchemaNode, kind: FailureKind, reason: string): TransformFailure {
    let level = 0
    const steps = node.steps.map(step => (step === anyIndex ? (this.indices[level++] as number) : step))
    return new TransformFailure(pathText(steps), kind, reason)
  }
}
