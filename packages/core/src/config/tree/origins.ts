import type { PathPart } from '../path.ts'

/** A place in a text that somebody wrote. Lines and columns count from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Where an entry of a map or list came from. */
export interface Origin {
  readonly key?: Place | undefined
  readonly value?: Place | undefined
  /** The characters of a scalar as they stand in the file: `0123`, `1e3`. */
  readonly text?: string | undefined
  /** The text came from the environment: it is no secret of the file, is not expanded again, and is not shown. */
  readonly fromEnvironment?: boolean | undefined
  /** What set it when that was no file: `MQB__ORDERS__BATCH_SIZE`. */
  readonly label?: string | undefined
  /** Something is already reported about it: what follows from that is not worth a line. */
  readonly reported?: boolean | undefined
}

/** Remembers for each entry of a tree of plain maps and lists where it was written. */
export class Origins {
  readonly #entries = new WeakMap<object, Map<PathPart, Origin>>()

  get(container: object, key: PathPart): Origin | undefined {
    return this.#entries.get(container)?.get(key)
  }

  set(container: object, key: PathPart, origin: Origin): void {
    const entries = this.#entries.get(container)
    if (entries === undefined) this.#entries.set(container, new Map([[key, origin]]))
    else entries.set(key, origin)
  }
}

export type Container = Record<string, unknown> | unknown[]

/** A map as configuration files have it: no class instance, no list. */
export function isMap(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

export function isContainer(value: unknown): value is Container {
  return Array.isArray(value) || isMap(value)
}

export function readEntry(container: Container, key: PathPart): unknown {
  if (Array.isArray(container)) return typeof key === 'number' ? container[key] : undefined
  return Object.hasOwn(container, key) ? container[key] : undefined
}

/** Sets an own entry, also one named `__proto__`. */
export function writeEntry(container: Container, key: PathPart, value: unknown): void {
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true })
}
