import type { Num } from '../number/decimal.ts'
import { parseJsonNumber } from '../number/parse.ts'
import { parseStructure } from './from-json.ts'
import type { RecordValue } from './record.ts'
import type { Value } from './value.ts'

/**
 * A JSON number that is not written the way its value would be: `1.0`, `-0`, `2e3`, 40 digits. Kept as it stands, and
 * turned into a number only where something computes with it.
 */
export class NumberText {
  readonly text: string
  private parsed: Num | undefined

  constructor(text: string) {
    this.text = text
    this.parsed = undefined
  }

  /** @throws {DecimalOverflow} */
  get number(): Num {
    this.parsed ??= parseJsonNumber(this.text)
    return this.parsed
  }
}

/** A JSON object or array of a payload, kept as its bytes until something looks inside. */
export class StructureText {
  readonly bytes: Uint8Array
  readonly kind: 'object' | 'array'
  private parsed: RecordValue | readonly Value[] | undefined

  /** @param bytes one checked JSON object or array, without white space around it. Taken over. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.kind = bytes[0] === 0x7b ? 'object' : 'array'
    this.parsed = undefined
  }

  get structure(): RecordValue | readonly Value[] {
    this.parsed ??= parseStructure(this.bytes)
    return this.parsed
  }
}
