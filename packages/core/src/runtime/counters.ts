import type { Counters } from '../contract/opening.ts'

/** Plain numbers by name. */
export class CounterMap implements Counters {
  private readonly values = new Map<string, number>()

  add(name: string, by = 1): void {
    this.values.set(name, (this.values.get(name) ?? 0) + by)
  }

  get isEmpty(): boolean {
    return this.values.size === 0
  }

  toRecord(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.values)
  }
}

/** The counters of all components of a route, by their path in the configuration. */
export class CounterSet {
  private readonly byPath = new Map<string, CounterMap>()

  at(path: string): CounterMap {
    let counters = this.byPath.get(path)
    if (counters === undefined) {
      counters = new CounterMap()
      this.byPath.set(path, counters)
    }
    return counters
  }

  toRecord(): Readonly<Record<string, Readonly<Record<string, number>>>> {
    const used = [...this.byPath].filter(([, counters]) => !counters.isEmpty)
    return Object.fromEntries(used.map(([path, counters]) => [path, counters.toRecord()]))
  }
}
