import type { PathStep } from '@mqb/json'
import { unfit } from '../evaluation-error.ts'
import { toCount } from '../number/whole.ts'
import type { Run } from '../payload/frame.ts'
import type { Member, Name, Node, Pointer, Root } from '../syntax/ast.ts'
import { RecordValue } from '../value/record.ts'
import { asArray, asNumber, asRecord, type Value } from '../value/value.ts'
import { compileNode } from './compile.ts'
import type { Context } from './context.ts'

type Reference = Name | Root | Pointer | Member

export function compileReference(node: Reference, context: Context): Run {
  if (node.kind === 'pointer') return compilePointer(node, context)
  const path = payloadPath(node, context)
  if (path !== undefined) {
    if (context.predicate) refuseIndices(node, context)
    return context.payload(path)
  }
  if (node.kind === 'root') return compileRoot(context)
  if (node.kind === 'name') return compileName(node, context)
  return compileMember(node, context)
}

/** The payload path that a node reads, where it reads one and nothing hides it. */
export function payloadPath(node: Node, context: Context): PathStep[] | undefined {
  if (node.kind === 'root') return context.variables.size === 0 ? [] : undefined
  if (node.kind === 'name') return isPayloadName(node.name, context) ? [node.name] : undefined
  if (node.kind !== 'member' || node.property.kind !== 'literal') return undefined
  const step = stepOf(node.property.value)
  // The character of a text: (name)[0], where name[0] asks for an element.
  if (typeof step === 'number' && node.object.grouped === true) return undefined
  const outer = step === undefined ? undefined : payloadPath(node.object, context)
  if (outer === undefined || step === undefined) return undefined
  // $root.a is a.
  return [...outer, step]
}

/** Does the node read metadata or the payload: values that may be text where a number is meant? */
export function readsMessage(node: Node, context: Context): boolean {
  return metadataKey(node, context) !== undefined || payloadPath(node, context) !== undefined
}

function isPayloadName(name: string, context: Context): boolean {
  return (
    !context.closures.some(closure => closure.alias === name) &&
    name !== 'meta' &&
    !context.roots.includes(name) &&
    (context.variables.get(name)?.state ?? 'untouched') === 'untouched'
  )
}

function stepOf(value: Value): PathStep | undefined {
  if (typeof value === 'string') return value
  const number = asNumber(value)
  const index = number === undefined ? undefined : toCount(number)
  return index !== undefined && index < 1e9 ? index : undefined
}

function refuseIndices(node: Reference, context: Context): void {
  for (let at: Node = node; at.kind === 'member'; at = at.object)
    if (at.property.kind !== 'literal' || typeof at.property.value !== 'string')
      context.problems.add(
        at.property.start,
        'an indexed payload path can not be used here',
        'test the elements instead, as in some(items, #.qty > 1)',
      )
}

function compilePointer(node: Pointer, context: Context): Run {
  const closure = context.closures.at(-1)
  if (closure === undefined) {
    context.problems.add(
      node.start,
      '# stands for an element, and there is none here',
      'use it within map, filter, some and the like',
    )
    return () => null
  }
  const { local } = closure
  return frame => frame.locals[local] as Value
}

function compileName(node: Name, context: Context): Run {
  const { name } = node
  const closure = context.closures.findLast(around => around.alias === name)
  if (closure !== undefined) {
    const { local } = closure
    return frame => frame.locals[local] as Value
  }
  if (name === 'meta') {
    context.readsAllMetadata = true
    return frame => metadataRecord(frame.metadataPairs)
  }
  const root = context.roots.indexOf(name)
  if (root >= 0) {
    context.usedRoots.add(name)
    return frame => frame.roots[root] ?? null
  }
  const variable = context.variables.get(name)
  if (variable === undefined) throw new TypeError(`${name} was taken for a payload field`)
  if (variable.state === 'partial') variable.needsPayload = true
  return frame => frame.locals[variable.local] ?? null
}

/** The payload with what has been assigned so far. */
function compileRoot(context: Context): Run {
  const payload = context.payload([])
  const assigned = [...context.variables.values()].filter(variable => variable.state !== 'untouched')
  for (const variable of assigned) if (variable.state === 'partial') variable.needsPayload = true
  return frame => {
    let record = asRecord(payload(frame)) ?? new RecordValue([], [])
    for (const { name, local } of assigned) record = record.with(name, frame.locals[local] ?? null)
    return record
  }
}

function metadataRecord(pairs: readonly string[]): RecordValue {
  const keys: string[] = []
  const values: string[] = []
  for (let at = 0; at < pairs.length; at += 2) {
    keys.push(pairs[at] as string)
    values.push(pairs[at + 1] as string)
  }
  return new RecordValue(keys, values)
}

/** The key of `meta.key` and `meta["key"]`. */
export function metadataKey(node: Node, context: Context): string | undefined {
  if (node.kind !== 'member' || node.object.kind !== 'name' || node.object.name !== 'meta') return undefined
  if (context.closures.some(closure => closure.alias === 'meta')) return undefined
  return node.property.kind === 'literal' && typeof node.property.value === 'string'
    ? node.property.value
    : undefined
}

function compileMember(node: Member, context: Context): Run {
  const key = metadataKey(node, context)
  if (key !== undefined) return compileMetadata(key, context)
  const outer = metadataKey(node.object, context)
  if (outer !== undefined && node.property.kind === 'literal' && typeof node.property.value === 'string')
    context.problems.add(
      node.property.start,
      `meta.${outer} is text and has no ${JSON.stringify(node.property.value)}`,
      `write meta["${outer}.${node.property.value}"] for the key with the dot`,
    )
  if (context.predicate && payloadPath(node.object, context) !== undefined) refuseIndices(node, context)
  const object = compileNode(node.object, context)
  if (node.property.kind === 'literal' && typeof node.property.value === 'string')
    return fieldReader(object, node.property.value)
  return elementReader(object, compileNode(node.property, context), node, context)
}

function compileMetadata(key: string, context: Context): Run {
  context.metadataKeys.add(key)
  return frame => {
    const pairs = frame.metadataPairs
    for (let at = 0; at < pairs.length; at += 2) if (pairs[at] === key) return pairs[at + 1] as string
    return null
  }
}

/** Remembers where the field stood, since records of one object literal share their keys. */
function fieldReader(object: Run, key: string): Run {
  let keys: readonly string[] | undefined
  let at = -1
  return frame => {
    const value = object(frame)
    const record = value instanceof RecordValue ? value : asRecord(value)
    if (record === undefined) return null
    if (record.keys !== keys) {
      keys = record.keys
      at = record.indexOf(key)
    }
    return at < 0 ? null : (record.values[at] as Value)
  }
}

function elementReader(object: Run, property: Run, node: Member, context: Context): Run {
  const site = context.site(node.property.start)
  return frame => {
    const value = object(frame)
    const key = property(frame)
    if (typeof key === 'string') return asRecord(value)?.get(key) ?? null
    const number = asNumber(key)
    if (number === undefined || value === null || typeof value === 'boolean') return null
    const elements = typeof value === 'string' ? undefined : asArray(value)
    if (elements === undefined && typeof value !== 'string') return null
    const index = toCount(number)
    if (index === undefined)
      throw unfit(site, 'an index is a whole number from 0 on', 'count from 0; len(…) - 1 is the last one')
    return elements === undefined ? characterAt(value as string, index) : (elements[index] ?? null)
  }
}

/** The ASCII character at a byte of the UTF-8 text; null elsewhere. */
function characterAt(text: string, index: number): Value {
  const bytes = Buffer.from(text)
  const byte = bytes[index]
  return byte === undefined || byte > 0x7f ? null : String.fromCharCode(byte)
}
