import {
  escapesSeen,
  expectKey,
  JsonSyntaxError,
  maxDepth,
  readString,
  skipColon,
  skipLiteral,
  skipNumber,
  skipSpace,
  skipString,
  skipValue,
} from '@mqb/json'
import { plainEnd, standsAt, viewOf } from '../words.ts'
import { Checks, nullText } from './checks.ts'
import { Edits } from './edits.ts'
import { compact, readEscapes, type Unescaped } from './embedded.ts'
import { learn, memberAt, type ObjectShape, type SchemaNode, typeBits } from './node.ts'
import { isWhole } from './number-text.ts'
import { Scratch } from './scratch.ts'
import { shown } from './shown.ts'

export interface SchemaOptions {
  readonly coerce: boolean
  readonly emptyAsNull: boolean
}

const quote = 0x22
const comma = 0x2c
const { boolean: booleanBit, integer: integerBit, number: numberBit } = typeBits
const { string: stringBit, array: arrayBit, object: objectBit } = typeBits

const noView = viewOf(nullText)

/** A member came twice: which one counts is known only at the end of its object. */
export class RepeatedMember extends Error {}
const repeated = new RepeatedMember()

/** Goes through documents along one schema, and notes what has to change. Works on one document at a time. */
export class Walk {
  private readonly root: SchemaNode
  private readonly options: SchemaOptions
  readonly edits: Edits = new Edits()
  readonly scratch: Scratch = new Scratch()
  private readonly unescaped: Unescaped = { breaks: false }
  private readonly checks: Checks
  /** Where the document begins that is being looked at; offsets in errors count from there. */
  private start = 0
  private round = 0
  /** The buffer that was looked at last: messages of a batch share one. */
  private viewed: Buffer = nullText
  private view: DataView = noView
  /** Of a member that comes twice only the last one is looked at. Costs a second look at each object. */
  careful = false

  constructor(root: SchemaNode, options: SchemaOptions) {
    this.root = root
    this.options = options
    this.checks = new Checks(options.coerce, this.edits, this.scratch)
  }

  /**
   * Looks at the document `bytes[start, end)` from its first byte to its last.
   *
   * @throws {JsonSyntaxError} {TransformFailure} {RepeatedMember}
   */
  pass(bytes: Buffer, start: number, end: number): void {
    this.edits.cut(0)
    this.scratch.top = 0
    this.start = start
    const after = this.value(this.root, bytes, this.viewOf(bytes), skipSpace(bytes, start, end), end, 0)
    this.expectEnd(bytes, after, end)
  }

  viewOf(bytes: Buffer): DataView {
    if (bytes === this.scratch.bytes) return this.scratch.view
    if (bytes !== this.viewed) {
      this.viewed = bytes
      this.view = viewOf(bytes)
    }
    return this.view
  }

  rest(): void {
    this.viewed = nullText
    this.view = noView
  }

  private expectEnd(bytes: Buffer, after: number, end: number): void {
    const last = skipSpace(bytes, after, end)
    if (last !== end)
      throw new JsonSyntaxError('more follows after the end of the document', last - this.start)
  }

  /** Looks at the value at `at`, and returns one past its last byte. Recurses only as deep as the schema. */
  private value(
    node: SchemaNode,
    bytes: Buffer,
    view: DataView,
    at: number,
    end: number,
    depth: number,
  ): number {
    if (at >= end) return skipValue(bytes, at, end, this.start, depth)
    if (node.isOpen)
      return bytes[at] === quote
        ? this.stringEnd(bytes, view, at, end)
        : skipValue(bytes, at, end, this.start, depth)
    switch (bytes[at]) {
      case quote:
        return this.string(node, bytes, view, at, end)
      case 0x7b:
        return this.object(node, bytes, view, at, end, depth)
      case 0x5b:
        return this.array(node, bytes, view, at, end, depth)
      case 0x74:
      case 0x66:
        return this.boolean(node, bytes, at, end)
      case 0x6e: {
        const close = skipLiteral(bytes, at, end, this.start)
        this.checks.nothing(node, at, close, false)
        return close
      }
      default:
        return this.number(node, bytes, at, end)
    }
  }

  /** One past the closing quote of the string that begins at `at`. */
  private stringEnd(bytes: Buffer, view: DataView, at: number, end: number): number {
    const close = plainEnd(bytes, view, at + 1)
    // Escapes and mistakes are left to the slower way.
    return close < end && bytes[close] === quote ? close + 1 : skipString(bytes, at, end, this.start)
  }

  private string(node: SchemaNode, bytes: Buffer, view: DataView, at: number, end: number): number {
    const close = this.stringEnd(bytes, view, at, end)
    if (close - at === 2 && this.options.emptyAsNull) {
      this.checks.nothing(node, at, close, true)
      return close
    }
    if (node.types === 0 || (node.types & stringBit) !== 0) {
      this.checks.choose(node, bytes, at, close)
      if (node.content !== undefined) this.decode(node, node.content, bytes, at, close)
    } else this.checks.readText(node, bytes, at, close)
    return close
  }

  private number(node: SchemaNode, bytes: Buffer, at: number, end: number): number {
    const c = bytes[at] as number
    // Anything that begins no value gets its error here.
    if (c !== 0x2d && (c < 0x30 || c > 0x39)) return skipLiteral(bytes, at, end, this.start)
    const close = skipNumber(bytes, at, end, this.start)
    const { types } = node
    if (
      types === 0 ||
      (types & numberBit) !== 0 ||
      ((types & integerBit) !== 0 && isWhole(bytes, at, close))
    ) {
      this.checks.choose(node, bytes, at, close)
      return close
    }
    if ((types & stringBit) === 0 || !this.options.coerce)
      throw this.checks.failure(
        node,
        'type',
        `expected ${node.expected}, got number ${shown(bytes, at, close)}`,
      )
    const from = this.scratch.text(`"${bytes.toString('latin1', at, close)}"`)
    this.checks.choose(node, this.scratch.bytes, from, this.scratch.top)
    // As a text it would hold the document that it is already.
    if (node.content !== undefined) this.value(node.content, bytes, this.viewOf(bytes), at, close, 0)
    else this.edits.add(at, close, undefined, from, this.scratch.top)
    return close
  }

  private boolean(node: SchemaNode, bytes: Buffer, at: number, end: number): number {
    const close = skipLiteral(bytes, at, end, this.start)
    if (node.types !== 0 && (node.types & booleanBit) === 0)
      throw this.checks.failure(
        node,
        'type',
        `expected ${node.expected}, got boolean ${shown(bytes, at, close)}`,
      )
    this.checks.choose(node, bytes, at, close)
    return close
  }

  private object(
    node: SchemaNode,
    bytes: Buffer,
    view: DataView,
    at: number,
    end: number,
    depth: number,
  ): number {
    if (node.types !== 0 && (node.types & objectBit) === 0)
      throw this.checks.failure(node, 'type', `expected ${node.expected}, got object`)
    const close =
      node.shape === undefined
        ? skipValue(bytes, at, end, this.start, depth)
        : this.members(node.shape, bytes, view, at, end, depth)
    if (node.choices !== undefined) this.checks.choose(node, bytes, at, close)
    return close
  }

  private members(
    shape: ObjectShape,
    bytes: Buffer,
    view: DataView,
    at: number,
    end: number,
    depth: number,
  ): number {
    const { start } = this
    if (depth >= maxDepth) throw new JsonSyntaxError(`nested more than ${maxDepth} levels deep`, at - start)
    const counting = this.careful ? this.lastOfEach(shape, bytes, at, end, depth) : undefined
    const round = ++this.round
    const { seen } = shape
    let p = skipSpace(bytes, at + 1, end)
    let isEmpty = true
    if (bytes[p] !== 0x7d || p >= end) {
      isEmpty = false
      for (let place = 0; ; place++) {
        const habit = shape.habits[place]
        let position: number
        if (habit !== undefined && standsAt(habit.token, view, p, end)) {
          position = habit.position
          p += habit.token.length
        } else {
          const key = expectKey(bytes, p, end, start)
          const before = escapesSeen
          const keyEnd = skipString(bytes, key, end, start)
          const isPlain = escapesSeen === before
          position = isPlain
            ? memberAt(shape, bytes, key + 1, keyEnd - 1)
            : this.escaped(shape, bytes, key, keyEnd)
          p = skipColon(bytes, keyEnd, end, start)
          if (isPlain && shape.changes > 0) learn(shape, place, position, bytes, key, keyEnd)
        }
        if (p < end && (bytes[p] as number) <= 0x20) p = skipSpace(bytes, p, end)
        if (position < 0 || (counting !== undefined && counting[position] !== p))
          p =
            p < end && bytes[p] === quote
              ? this.stringEnd(bytes, view, p, end)
              : skipValue(bytes, p, end, start, depth + 1)
        else {
          if (seen[position] === round) throw repeated
          seen[position] = round
          p = this.value(shape.nodes[position] as SchemaNode, bytes, view, p, end, depth + 1)
        }
        p = skipSpace(bytes, p, end)
        const next = p < end ? bytes[p] : undefined
        if (next === 0x7d) break
        if (next !== comma) throw new JsonSyntaxError('a , or } is expected', p - start)
        p++
      }
    }
    this.absent(shape, round, p, isEmpty)
    return p + 1
  }

  /** What the object that closes at `at` lacks: defaults are put in, and what is required is missed. */
  private absent(shape: ObjectShape, round: number, at: number, isEmpty: boolean): void {
    let first = isEmpty
    for (const position of shape.wanted) {
      if (shape.seen[position] === round) continue
      const insertion = shape.insertions[position]
      if (insertion === undefined)
        throw this.checks.failure(
          shape.nodes[position] as SchemaNode,
          'required',
          'the field is required and absent',
        )
      this.edits.add(at, at, insertion, first ? 1 : 0, insertion.length)
      first = false
    }
  }

  private escaped(shape: ObjectShape, bytes: Buffer, key: number, keyEnd: number): number {
    return shape.positions.get(readString(bytes, key, keyEnd)) ?? -1
  }

  /** Where the value of each member begins that counts: that of the last one of its name. */
  private lastOfEach(shape: ObjectShape, bytes: Buffer, at: number, end: number, depth: number): Int32Array {
    const { start } = this
    const last = new Int32Array(shape.names.length)
    let p = skipSpace(bytes, at + 1, end)
    if (bytes[p] === 0x7d) return last
    for (;;) {
      const key = expectKey(bytes, p, end, start)
      const keyEnd = skipString(bytes, key, end, start)
      const position = this.escaped(shape, bytes, key, keyEnd)
      p = skipColon(bytes, keyEnd, end, start)
      if (position >= 0) last[position] = p
      p = skipSpace(bytes, skipValue(bytes, p, end, start, depth + 1), end)
      if (p >= end || bytes[p] !== comma) return last
      p++
    }
  }

  private array(
    node: SchemaNode,
    bytes: Buffer,
    view: DataView,
    at: number,
    end: number,
    depth: number,
  ): number {
    if (node.types !== 0 && (node.types & arrayBit) === 0)
      throw this.checks.failure(node, 'type', `expected ${node.expected}, got array`)
    const close =
      node.items === undefined
        ? skipValue(bytes, at, end, this.start, depth)
        : this.elements(node.items, node.level, bytes, view, at, end, depth)
    if (node.choices !== undefined) this.checks.choose(node, bytes, at, close)
    return close
  }

  private elements(
    items: SchemaNode,
    level: number,
    bytes: Buffer,
    view: DataView,
    at: number,
    end: number,
    depth: number,
  ): number {
    const { start } = this
    if (depth >= maxDepth) throw new JsonSyntaxError(`nested more than ${maxDepth} levels deep`, at - start)
    let p = skipSpace(bytes, at + 1, end)
    if (p < end && bytes[p] === 0x5d) return p + 1
    for (let index = 0; ; index++) {
      this.checks.indices[level] = index
      p = skipSpace(bytes, this.value(items, bytes, view, p, end, depth + 1), end)
      const next = p < end ? bytes[p] : undefined
      if (next === 0x5d) return p + 1
      if (next !== comma) throw new JsonSyntaxError('a , or ] is expected', p - start)
      p = skipSpace(bytes, p + 1, end)
    }
  }

  /** Puts the document that a text holds in its place, changed as its own schema says. */
  private decode(node: SchemaNode, content: SchemaNode, bytes: Buffer, at: number, close: number): void {
    const { scratch, edits, unescaped, start } = this
    const from = scratch.top
    if (!readEscapes(bytes, at + 1, close - 1, scratch, unescaped))
      throw this.checks.failure(
        node,
        'content',
        'the string holds half a surrogate pair, so it is no Unicode text',
      )
    const { breaks } = unescaped
    const to = scratch.top
    const first = edits.count
    const inner = scratch.bytes
    const innerView = scratch.view
    let docStart: number
    let docEnd: number
    try {
      this.start = from
      docStart = skipSpace(inner, from, to)
      docEnd = this.value(content, inner, innerView, docStart, to, 0)
      this.expectEnd(inner, docEnd, to)
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error
      throw this.checks.failure(
        node,
        'content',
        `contentMediaType is JSON but the string does not parse: ${error.reason}, at byte ${error.offset} of it`,
      )
    } finally {
      this.start = start
    }
    if (edits.count > first) {
      const length = edits.lengthOf(docEnd - docStart, first)
      scratch.grow(length)
      const written = scratch.top
      edits.write(
        inner,
        innerView,
        docStart,
        docEnd,
        first,
        scratch,
        { buffer: scratch.bytes, view: scratch.view },
        written,
      )
      edits.cut(first)
      docStart = written
      docEnd = written + length
      scratch.top = docEnd
    }
    // A message stays one line: a line break between two values of the document would cut it.
    if (breaks) docEnd = compact(scratch.bytes, docStart, docEnd)
    edits.add(at, close, undefined, docStart, docEnd)
  }
}
