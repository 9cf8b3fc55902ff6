import { maxNesting, NestingError } from '../value/from-json.ts'
import { RecordValue } from '../value/record.ts'
import { asArray, asRecord, type Value } from '../value/value.ts'
import { arrayAt, definer, type FunctionDefinition, mismatch, recordAt } from './definition.ts'
import { byteLength } from './text.ts'

function len(values: readonly Value[]): number {
  const value = values[0] as Value
  if (typeof value === 'string') return byteLength(value)
  const elements = asArray(value)
  if (elements === undefined) throw mismatch('a text or an array', value)
  return elements.length
}

/** One level of arrays within the array is opened. */
export function flattened(elements: readonly Value[]): readonly Value[] {
  const flat: Value[] = []
  for (const element of elements) {
    const inner = asArray(element)
    if (inner === undefined) flat.push(element)
    else for (const value of inner) flat.push(value)
  }
  return flat
}

function keys(values: readonly Value[]): readonly Value[] {
  const value = values[0] as Value
  const record = asRecord(value)
  if (record !== undefined) return record.keys
  const elements = asArray(value)
  if (elements === undefined) throw mismatch('an object or an array', value)
  return elements.map((_, index) => index)
}

/** Nulls are passed over; of nothing but nulls the reference makes an empty array, of nothing at all an empty object. */
function merge(values: readonly Value[]): Value {
  const parts = arrayAt(values, 0)
  const present = parts.filter(part => part !== null)
  if (present.length === 0) return parts.length === 0 ? new RecordValue([], []) : []
  if (asArray(present[0] as Value) !== undefined)
    return present.flatMap(part => asArray(part) ?? refused(part, 'an array of arrays'))
  return RecordValue.from(
    present.flatMap(part => {
      const record = asRecord(part) ?? refused(part, 'an array of objects')
      return record.keys.map((key, at) => [key, record.values[at] as Value] as const)
    }),
  )
}

function mergeDeep(values: readonly Value[]): Value {
  let merged: RecordValue = new RecordValue([], [])
  for (const part of arrayAt(values, 0)) {
    if (part === null) continue
    merged = mergedRecords(merged, asRecord(part) ?? refused(part, 'an array of objects'), 1)
  }
  return merged
}

function mergedRecords(left: RecordValue, right: RecordValue, depth: number): RecordValue {
  if (depth > maxNesting) throw new NestingError()
  const fields = new Map<string, Value>(left.keys.map((key, at) => [key, left.values[at] as Value]))
  for (const [at, key] of right.keys.entries()) {
    const value = right.values[at] as Value
    const before = fields.get(key)
    fields.set(key, before === undefined ? value : mergedValues(before, value, depth))
  }
  return new RecordValue([...fields.keys()], [...fields.values()])
}

function mergedValues(left: Value, right: Value, depth: number): Value {
  const leftRecord = asRecord(left)
  const rightRecord = leftRecord === undefined ? undefined : asRecord(right)
  if (leftRecord !== undefined && rightRecord !== undefined)
    return mergedRecords(leftRecord, rightRecord, depth + 1)
  const leftArray = asArray(left)
  const rightArray = leftArray === undefined ? undefined : asArray(right)
  return leftArray !== undefined && rightArray !== undefined ? [...leftArray, ...rightArray] : right
}

function refused(value: Value, wanted: string): never {
  throw mismatch(wanted, value)
}

const defineArray = definer('array')
const defineObject = definer('object')

export const structureFunctions: readonly FunctionDefinition[] = [
  defineArray('len(value)', 'The elements of an array, or the bytes of a text in UTF-8, counted.', len),
  defineArray('flatten(array)', 'The array with one level of arrays in it opened.', values =>
    flattened(arrayAt(values, 0)),
  ),
  defineObject('keys(value)', 'The names of the fields of an object, or the indices of an array.', keys),
  defineObject(
    'values(object)',
    'The values of the fields of an object.',
    values => recordAt(values, 0).values,
  ),
  defineObject(
    'merge(parts)',
    'One object of an array of objects, where later fields replace earlier ones; or one array of an array of arrays. Nulls are passed over.',
    merge,
  ),
  defineObject(
    'mergeDeep(objects)',
    'As merge, with objects in objects merged too, and arrays in them joined.',
    mergeDeep,
  ),
]
