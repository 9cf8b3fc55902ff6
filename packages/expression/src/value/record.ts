import type { Value } from './value.ts'

// Below this, looking through the keys costs less than hashing.
const indexFrom = 9

/**
 * An object of the language: names to values, in the order in which they were set. Any name is plain data, `__proto__`
 * too. Records made by one object literal share their `keys` array, which is how a field is found in one step.
 */
export class RecordValue {
  readonly keys: readonly string[]
  readonly values: readonly Value[]
  private index: Map<string, number> | undefined

  /** @param keys each once, as many as `values`. Neither is changed afterwards. */
  constructor(keys: readonly string[], values: readonly Value[]) {
    this.keys = keys
    this.values = values
    this.index = undefined
  }

  /** From pairs of which a later one replaces an earlier one of the same name. */
  static from(pairs: Iterable<readonly [string, Value]>): RecordValue {
    const merged = new Map<string, Value>(pairs)
    return new RecordValue([...merged.keys()], [...merged.values()])
  }

  get(key: string): Value | undefined {
    const at = this.indexOf(key)
    return at < 0 ? undefined : this.values[at]
  }

  has(key: string): boolean {
    return this.indexOf(key) >= 0
  }

  indexOf(key: string): number {
    if (this.keys.length < indexFrom) return this.keys.indexOf(key)
    this.index ??= new Map(this.keys.map((name, at) => [name, at]))
    return this.index.get(key) ?? -1
  }

  /** The same with one field set. */
  with(key: string, value: Value): RecordValue {
    const at = this.indexOf(key)
    if (at < 0) return new RecordValue([...this.keys, key], [...this.values, value])
    const values = this.values.slice()
    values[at] = value
    return new RecordValue(this.keys, values)
  }
}
