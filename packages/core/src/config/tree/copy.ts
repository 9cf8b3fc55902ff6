import type { Cursor } from './cursor.ts'
import { isContainer, isMap, type Origins, writeEntry } from './origins.ts'

/** A copy of all maps and lists; whatever else stands in them (functions, class instances) is taken as it is. */
export function copyTree(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyTree)
  if (!isMap(value)) return value
  const copy: Record<string, unknown> = {}
  for (const [key, entry] of Object.entries(value)) writeEntry(copy, key, copyTree(entry))
  return copy
}

/** Lays a tree over another, in place: maps are merged key by key, everything else is replaced. Origins move along. */
export function mergeOver(base: Cursor, over: Cursor, origins: Origins): void {
  if (!isMap(base.value) || !isMap(over.value)) {
    base.value = over.value
    base.origin = over.origin
    return
  }
  for (const entry of over.children()) {
    const key = entry.path.at(-1) as string
    const target = base.child(key)
    if (isMap(target.value) && isMap(entry.value)) mergeOver(target, entry, origins)
    else {
      writeEntry(base.value, key, entry.value)
      origins.set(base.value, key, entry.origin)
    }
  }
}

/** Each map and list of a tree with the cursor on it. */
export function indexTree(cursor: Cursor, index: WeakMap<object, Cursor>): void {
  const { value } = cursor
  if (!isContainer(value)) return
  index.set(value, cursor)
  for (const child of cursor.children()) indexTree(child, index)
}
