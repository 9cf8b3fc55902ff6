import type { PathStep } from '@mqb/json'
import type { Site } from '../evaluation-error.ts'
import type { Host } from '../functions/definition.ts'
import type { Run } from '../payload/frame.ts'
import { type PayloadReader, readSlot, type Slot } from '../payload/reader.ts'
import type { Problems } from '../syntax/problem.ts'

export interface CompileOptions {
  /**
   * `value`: the expression computes something; what does not fit is an error. `predicate`: it decides about a message:
   * indexed payload paths are refused, an absent field (null) is never larger, smaller or true, nothing is larger or
   * smaller than a value of another type, and operators and functions of null give null.
   */
  readonly purpose?: 'value' | 'predicate'
  /** Names beside `meta` that stand for values given to `evaluate`, such as `state`. They hide payload fields. */
  readonly roots?: readonly string[]
  /** Called in a predicate wherever a value was absent, no scalar, or of another type than what it is compared with. */
  readonly onMissing?: (place: Site) => void
  /** Clock and dice, for tests. Those of a group hold for all expressions in it. */
  readonly host?: Partial<Host>
}

/** A field that is assigned somewhere in the expression. */
export interface Variable {
  readonly name: string
  readonly local: number
  /** How far compiling has come: not assigned yet, only below it, or itself. */
  state: 'untouched' | 'partial' | 'full'
  /** Its payload value is needed, because it is read after something below it was assigned. */
  needsPayload: boolean
}

/** What is known while one expression is compiled. */
export class Context {
  readonly source: string
  readonly problems: Problems
  readonly reader: PayloadReader
  /** Payload paths that this expression reads. */
  readonly slots: Set<Slot> = new Set()
  readonly predicate: boolean
  readonly roots: readonly string[]
  readonly usedRoots: Set<string> = new Set()
  readonly metadataKeys: Set<string> = new Set()
  readonly onMissing: ((place: Site) => void) | undefined
  readonly variables: Map<string, Variable> = new Map()
  /** Closures around this place, the innermost last. */
  readonly closures: { readonly alias: string | undefined; readonly local: number }[] = []
  readsAllMetadata = false
  private locals = 0

  constructor(source: string, problems: Problems, reader: PayloadReader, options: CompileOptions) {
    this.reader = reader
    this.source = source
    this.problems = problems
    this.predicate = options.purpose === 'predicate'
    this.roots = options.roots ?? []
    this.onMissing = options.onMissing
  }

  site(offset: number): Site {
    return { source: this.source, offset }
  }

  newLocal(): number {
    return this.locals++
  }

  /** Reads the value of a payload path. */
  payload(steps: readonly PathStep[]): Run {
    const slot = this.reader.slotFor(steps)
    this.slots.add(slot)
    if (this.closures.length > 0) slot.shared = true
    return readSlot(slot)
  }

  /** Where the bytes of a payload path will be found. */
  payloadBytes(steps: readonly PathStep[]): Slot {
    const slot = this.reader.slotOf(steps)
    this.slots.add(slot)
    return slot
  }
}
