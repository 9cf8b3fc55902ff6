import { formatPath, type PathPart } from '../path.ts'
import {
  type Container,
  isContainer,
  type Origin,
  Origins,
  type Place,
  readEntry,
  writeEntry,
} from './origins.ts'

/** A place in a configuration tree: its value, its path, and where it was written. */
export class Cursor {
  readonly path: readonly PathPart[]
  readonly #container: Container
  readonly #key: PathPart
  readonly #origins: Origins
  readonly #inherited: Place | undefined

  private constructor(
    path: readonly PathPart[],
    container: Container,
    key: PathPart,
    origins: Origins,
    inherited: Place | undefined,
  ) {
    this.path = path
    this.#container = container
    this.#key = key
    this.#origins = origins
    this.#inherited = inherited
  }

  /** A cursor on a whole tree. `path` is what it is called in messages. */
  static root(
    value: unknown,
    options: { path?: readonly PathPart[]; origins?: Origins; origin?: Origin } = {},
  ): Cursor {
    const origins = options.origins ?? new Origins()
    const container: unknown[] = [value]
    if (options.origin !== undefined) origins.set(container, 0, options.origin)
    return new Cursor(options.path ?? [], container, 0, origins, undefined)
  }

  /** A place in a text that is no entry of a tree. */
  static atPlace(place: Place): Cursor {
    return Cursor.root(undefined, { origin: { value: place } })
  }

  get value(): unknown {
    return readEntry(this.#container, this.#key)
  }

  set value(value: unknown) {
    writeEntry(this.#container, this.#key, value)
  }

  get origin(): Origin {
    return this.#origins.get(this.#container, this.#key) ?? {}
  }

  set origin(origin: Origin) {
    this.#origins.set(this.#container, this.#key, origin)
  }

  get origins(): Origins {
    return this.#origins
  }

  get where(): string {
    return this.origin.label ?? formatPath(this.path)
  }

  /** The own place, or that of the nearest entry around it. */
  place(atKey = false): Place | undefined {
    const { key, value } = this.origin
    return (atKey ? (key ?? value) : (value ?? key)) ?? this.#inherited
  }

  child(key: PathPart): Cursor {
    const { value } = this
    const around = this.place(true)
    if (isContainer(value)) return new Cursor([...this.path, key], value, key, this.#origins, around)
    return new Cursor([...this.path, key], {}, key, this.#origins, around)
  }

  /** A place below this one that is not part of the tree: what is set there is not seen from here. */
  detached(key: PathPart): Cursor {
    return new Cursor([...this.path, key], {}, key, new Origins(), this.place(true))
  }

  at(path: readonly PathPart[]): Cursor {
    let cursor: Cursor = this
    for (const part of path) cursor = cursor.child(part)
    return cursor
  }

  /** The same place under another name. */
  named(path: readonly PathPart[]): Cursor {
    return new Cursor(path, this.#container, this.#key, this.#origins, this.#inherited)
  }

  /** Cursors on the entries of a map or list; none for anything else. */
  *children(): Iterable<Cursor> {
    const { value } = this
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) yield this.child(index)
    } else if (isContainer(value)) {
      for (const key of Object.keys(value)) yield this.child(key)
    }
  }
}
