import type { PathStep } from '@mqb/json'
import { createToken, type Token } from '../words.ts'
import type { Choices } from './choices.ts'

export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/** Types as bits of a set. */
export const typeBits: Readonly<Record<TypeName, number>> = {
  null: 1,
  boolean: 2,
  integer: 4,
  number: 8,
  string: 16,
  array: 32,
  object: 64,
}

/** Stands in `steps` for the index of an array that is known only at a message. */
export const anyIndex = -1

/** A compiled schema: what is checked and changed at one place of a document. */
export interface SchemaNode {
  /** Where it stands in a document; `anyIndex` for elements of arrays. */
  readonly steps: readonly PathStep[]
  /** Nothing is checked or changed here. */
  readonly isOpen: boolean
  /** The types other than null, as bits; 0 allows all, the bit of null alone nothing but null. */
  readonly types: number
  /** The types as an error names them: `integer or string`. */
  readonly expected: string
  readonly nullable: boolean
  /** What a text may be read as, in the order in which the schema lists it. */
  readonly readings: readonly ('integer' | 'number' | 'boolean')[]
  /** JSON text of the default, which was itself checked and changed as the schema says. */
  fallback: Buffer | undefined
  readonly choices: Choices | undefined
  readonly shape: ObjectShape | undefined
  readonly items: SchemaNode | undefined
  /** How many arrays stand around it: where its index is kept while its elements are visited. */
  readonly level: number
  /** The schema of the document that the text holds. */
  readonly content: SchemaNode | undefined
}

/** The members of an object that a schema names. */
export interface ObjectShape {
  readonly names: readonly string[]
  /** UTF-8 of the names, by position. */
  readonly keys: readonly Buffer[]
  readonly nodes: readonly SchemaNode[]
  /** Members by text, for names that a document writes with escapes. */
  readonly positions: ReadonlyMap<string, number>
  /** The first member with this hash of its name, -1 for none; `next` has the others. */
  readonly heads: Int16Array
  readonly next: Int16Array
  /** Positions of the members that are missed when they are absent. */
  readonly wanted: readonly number[]
  readonly required: readonly boolean[]
  /** `,"name":default` by position, where there is a default. */
  readonly insertions: (Buffer | undefined)[]
  /** The round in which each member was seen last. Belongs to whoever walks. */
  readonly seen: Int32Array
  /** The keys of the last documents in their order, as far as they were learned: documents of a source look alike. */
  readonly habits: Habit[]
  /** How often a habit may still change. */
  changes: number
}

/** `"name":` at one place among the members. */
export interface Habit {
  readonly token: Token
  /** The member that it is, -1 for one that the schema does not name. */
  readonly position: number
}

const buckets = 64

/** Names that differ in length, first or last byte mostly land apart. */
export function hashName(length: number, first: number, last: number): number {
  return (length * 31 + first * 7 + last) & (buckets - 1)
}

export function createShape(
  members: readonly { readonly name: string; readonly node: SchemaNode; readonly required: boolean }[],
): ObjectShape {
  const keys = members.map(({ name }) => Buffer.from(name))
  const heads = new Int16Array(buckets).fill(-1)
  const next = new Int16Array(members.length).fill(-1)
  for (const [position, key] of keys.entries()) {
    const hash = hashName(key.length, key[0] ?? 0, key[key.length - 1] ?? 0)
    next[position] = heads[hash] as number
    heads[hash] = position
  }
  return {
    names: members.map(({ name }) => name),
    keys,
    nodes: members.map(({ node }) => node),
    positions: new Map(members.map(({ name }, position) => [name, position])),
    heads,
    next,
    wanted: [...members.keys()].filter(
      at => members[at]?.required === true || members[at]?.node.fallback !== undefined,
    ),
    required: members.map(({ required }) => required),
    insertions: members.map(({ name, node }) =>
      node.fallback === undefined
        ? undefined
        : Buffer.concat([Buffer.from(`,${JSON.stringify(name)}:`), node.fallback]),
    ),
    seen: new Int32Array(members.length),
    habits: [],
    changes: 256,
  }
}

/** The position of the member whose name, without escapes, is `bytes[from, to)`; -1 for none. */
export function memberAt(shape: ObjectShape, bytes: Buffer, from: number, to: number): number {
  const length = to - from
  const hash = length === 0 ? 0 : hashName(length, bytes[from] as number, bytes[to - 1] as number)
  for (let position = shape.heads[hash] as number; position >= 0; position = shape.next[position] as number) {
    const key = shape.keys[position] as Buffer
    if (key.length !== length) continue
    let same = 0
    while (same < length && key[same] === bytes[from + same]) same++
    if (same === length) return position
  }
  return -1
}

const longestToken = 64
const mostHabits = 64

/** Remembers that the key at `key` to `keyEnd` stood at this place among the members. */
export function learn(
  shape: ObjectShape,
  place: number,
  position: number,
  bytes: Buffer,
  key: number,
  keyEnd: number,
): void {
  if (place >= mostHabits || keyEnd - key >= longestToken || bytes[keyEnd] !== 0x3a) return
  // Without a gap: a place beyond the known ones waits for its turn.
  if (place > shape.habits.length) return
  shape.changes--
  shape.habits[place] = { token: createToken(bytes, key, keyEnd + 1), position }
}
