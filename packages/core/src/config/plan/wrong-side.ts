import type { Side } from '../../contract/capabilities.ts'
import type { Findings } from '../problems.ts'
import { fieldsOf, metaOf, type Schema } from '../schema/walk.ts'
import type { Cursor } from '../tree/cursor.ts'
import { isMap } from '../tree/origins.ts'

/** Warns about fields that are written on a side where they mean nothing. */
export function warnWrongSide(schema: Schema, cursor: Cursor, side: Side, findings: Findings): void {
  const { value } = cursor
  if (!isMap(value)) return
  for (const [name, field] of fieldsOf(schema)) {
    if (!Object.hasOwn(value, name)) continue
    const meta = metaOf(field)
    if (meta.endpoint !== undefined) continue
    const at = cursor.child(name)
    if (meta.side === undefined || meta.side === side) {
      warnWrongSide(field, at, side, findings)
      continue
    }
    findings.warning(at, {
      code: 'MQB_CONFIG_WRONG_SIDE',
      what: `${name} means something on an ${meta.side} only; on this ${side} it does nothing`,
      mend: `remove it here, or set it on the ${meta.side}`,
      atKey: true,
    })
  }
}
