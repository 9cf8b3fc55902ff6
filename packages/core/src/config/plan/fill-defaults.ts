import { fieldsOf, metaOf, type Schema } from '../schema/walk.ts'
import type { Cursor } from '../tree/cursor.ts'
import { isMap, writeEntry } from '../tree/origins.ts'

/** Fills in what defaults to the name of the route, before validation. */
export function fillDefaults(schema: Schema, cursor: Cursor, route: string): void {
  const { value } = cursor
  if (!isMap(value)) return
  for (const [name, field] of fieldsOf(schema)) {
    if (metaOf(field).defaultFrom === 'route' && value[name] === undefined) writeEntry(value, name, route)
  }
}
