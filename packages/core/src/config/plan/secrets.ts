import { metaOf, type Schema, schemaOfEntry } from '../schema/walk.ts'
import type { Cursor } from '../tree/cursor.ts'
import { passwordsInUrl } from '../uri/redact.ts'

/** The secret values in a part of the configuration: those of secret fields, and the passwords in its URLs. */
export function secretValues(schema: Schema | undefined, cursor: Cursor, hidden = false): string[] {
  const { value, origin } = cursor
  if (origin.reported === true || (schema !== undefined && metaOf(schema).endpoint !== undefined)) return []
  const isSecret = hidden || (schema !== undefined && metaOf(schema).secret === true)
  if (isSecret && (typeof value === 'number' || typeof value === 'boolean'))
    return [origin.text ?? String(value)]
  if (typeof value === 'string') return isSecret && value !== '' ? [value] : passwordsInUrl(value)
  const values: string[] = []
  for (const child of cursor.children()) {
    const key = child.path.at(-1)!
    values.push(...secretValues(schema && schemaOfEntry(schema, key), child, isSecret))
  }
  return values
}
