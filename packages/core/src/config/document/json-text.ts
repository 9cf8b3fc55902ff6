import type { Findings } from '../problems.ts'
import { Cursor } from '../tree/cursor.ts'
import type { Place } from '../tree/origins.ts'

/** Reports the first thing that is no JSON in a file that should be. */
export function checkJson(text: string, place: (offset: number) => Place, findings: Findings): void {
  if (text.trim() === '') return
  try {
    JSON.parse(text)
  } catch (error) {
    const offset = errorOffset(text, String((error as Error).message))
    const found =
      text.slice(offset).trim() === '' ? 'it ends too early' : `unexpected ${JSON.stringify(text[offset])}`
    findings.error(Cursor.atPlace(place(offset)), {
      code: 'MQB_CONFIG_SYNTAX',
      what: `this is not valid JSON: ${found}`,
      mend: 'correct it; a file that is meant to be YAML has to end in .yaml or .yml',
    })
  }
}

/** The engine says where only in its message, in one of two ways. */
function errorOffset(text: string, message: string): number {
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return Math.min(Number(position), text.length)
  const token = /Unexpected token '?(.)'?, /.exec(message)?.[1]
  const index = token === undefined ? -1 : text.indexOf(token)
  return index < 0 ? text.length : index
}
