import { MqbError } from '../errors/mqb-error.ts'

/** Things by name, each with who brought it: a name is taken once. */
export class NameTable<T> {
  readonly #kind: string
  readonly #entries = new Map<string, { value: T; owner: string }>()

  constructor(kind: string) {
    this.#kind = kind
  }

  get(name: string): T | undefined {
    return this.#entries.get(name)?.value
  }

  names(): string[] {
    return [...this.#entries.keys()]
  }

  /** @throws {MqbError} kind `config`, `MQB_NAME_TAKEN`, naming both owners. */
  assertFree(name: string, owner: string): void {
    const taken = this.#entries.get(name)
    if (taken === undefined) return
    throw new MqbError({
      kind: 'config',
      code: 'MQB_NAME_TAKEN',
      where: owner,
      what: `the ${this.#kind} name ${name} is taken by ${taken.owner}`,
      mend: `register only one of them, or rename one`,
    })
  }

  /** @throws {MqbError} as `assertFree`. */
  add(name: string, value: T, owner: string): void {
    this.assertFree(name, owner)
    this.#entries.set(name, { value, owner })
  }

  /** Returns whether there was one of this owner. */
  remove(name: string, owner: string): boolean {
    if (this.#entries.get(name)?.owner !== owner) return false
    return this.#entries.delete(name)
  }
}
