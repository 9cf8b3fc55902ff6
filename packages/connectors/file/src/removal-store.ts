import type { Logger } from '@mqb/core'
import { fileError, fromSystemError } from './errors.ts'
import { type FileSystem, isSameFile } from './file-system.ts'
import { openForReading } from './followed-file.ts'
import { fileKey, withFileLock } from './path-lock.ts'
import type { EndState, InputOpener, RecordInput } from './record-input.ts'
import { assertReplaceable, replaceFile } from './replacement.ts'

const copyBytes = 1_048_576
// Up to this rest the file is rewritten at each acknowledgement. Larger ones when half of them is done: so all rewriting
// together stays in proportion to the file.
const smallRestBytes = 262_144

const stores = new Map<string, RemovalStore>()

/**
 * A file whose records go away once all readers of this process have acknowledged them. Positions are those of the file
 * as it was opened: what was removed in front still counts.
 */
class RemovalStore {
  readonly path: string
  readonly key: string
  readonly isExclusive: boolean
  readonly readers = new Set<RemovalInput>()
  /** Bytes up to here are settled and wait for removal, or are removed. */
  settled = 0
  readonly #fileSystem: FileSystem
  #descriptor: number
  #headBytes = 0
  #removed = 0

  constructor(options: {
    readonly path: string
    readonly key: string
    readonly fileSystem: FileSystem
    readonly descriptor: number
    readonly isExclusive: boolean
  }) {
    this.path = options.path
    this.key = options.key
    this.isExclusive = options.isExclusive
    this.#fileSystem = options.fileSystem
    this.#descriptor = options.descriptor
  }

  /** The first position that is still in the file. */
  get firstKept(): number {
    return this.settled
  }

  keepHead(position: number): void {
    if (this.settled > this.#headBytes) return
    this.#headBytes = position
    this.settled = position
  }

  read(into: Buffer, offset: number, length: number, position: number): Promise<number> {
    return withFileLock(this.key, () =>
      this.#fileSystem.read(this.#descriptor, into, offset, length, position - this.#removed),
    )
  }

  /** The path still leads to the file that is open. */
  isLive(): boolean {
    const facts = this.#fileSystem.facts(this.path)
    return facts !== undefined && isSameFile(facts, this.#fileSystem.factsOf(this.#descriptor))
  }

  /** How long the file would be had nothing been removed. */
  virtualSize(): number {
    return this.#fileSystem.factsOf(this.#descriptor).size + this.#removed
  }

  /** Removes what all readers are done with, when that is worth a rewrite. */
  async settle(isFinal: boolean): Promise<void> {
    const acknowledged = Math.min(...Array.from(this.readers, reader => reader.acknowledged))
    if (Number.isFinite(acknowledged)) this.settled = Math.max(this.settled, acknowledged)
    await withFileLock(this.key, async () => {
      const done = this.settled - this.#removed - this.#headBytes
      if (done <= 0) return
      const rest = this.virtualSize() - this.settled
      // Truncated or replaced by somebody else: what stands there now is not what was read.
      if (rest < 0 || !this.isLive()) return
      if (isFinal || rest <= smallRestBytes || done >= rest) await this.#rewrite()
    })
  }

  async close(): Promise<void> {
    await withFileLock(this.key, () => this.#fileSystem.close(this.#descriptor))
  }

  /** Head and rest go to a new file, which then takes the place of the old one: a crash leaves one of the two. */
  async #rewrite(): Promise<void> {
    const fileSystem = this.#fileSystem
    const replaced = await replaceFile(fileSystem, this.key, async target => {
      await this.#copy(target, 0, this.#headBytes, 0)
      let from = this.settled - this.#removed
      let to = this.#headBytes
      // Again while another process appends.
      for (let size = fileSystem.factsOf(this.#descriptor).size; from < size; ) {
        to = await this.#copy(target, from, size, to)
        from = size
        size = fileSystem.factsOf(this.#descriptor).size
      }
    })
    await fileSystem.close(this.#descriptor)
    this.#descriptor = replaced
    this.#removed = this.settled - this.#headBytes
  }

  async #copy(target: number, from: number, to: number, into: number): Promise<number> {
    const buffer = Buffer.allocUnsafeSlow(Math.min(copyBytes, Math.max(1, to - from)))
    let position = into
    for (let at = from; at < to; ) {
      const count = await this.#fileSystem.read(
        this.#descriptor,
        buffer,
        0,
        Math.min(buffer.length, to - at),
        at,
      )
      if (count === 0) break
      for (let written = 0; written < count; )
        written += await this.#fileSystem.write(target, [buffer.subarray(written, count)], position + written)
      at += count
      position += count
    }
    return position
  }
}

class RemovalInput implements RecordInput {
  readonly path: string
  readonly startPosition: number
  readonly source = {
    isPrompt: true,
    read: (into: Buffer, offset: number, length: number, position: number): Promise<number> =>
      this.#store.read(into, offset, length, position),
  }
  acknowledged: number
  readonly #store: RemovalStore

  constructor(store: RemovalStore) {
    this.#store = store
    this.path = store.path
    this.startPosition = store.firstKept
    this.acknowledged = this.startPosition
    store.readers.add(this)
  }

  endState(readPosition: number): EndState {
    if (this.#store.virtualSize() < readPosition) return 'truncated'
    return this.#store.isLive() ? 'growing' : 'replaced'
  }

  keepHead(position: number): void {
    if (this.startPosition === 0) this.#store.keepHead(position)
  }

  async acknowledge(position: number): Promise<void> {
    if (!this.#store.readers.has(this)) return
    this.acknowledged = position
    try {
      await this.#store.settle(false)
    } catch (error) {
      // They come again: whether they are gone from the file is not known.
      const failure = fromSystemError(error, `removing acknowledged records from ${this.path}`)
      throw failure.with({ kind: 'connection' })
    }
  }

  async close(): Promise<void> {
    if (!this.#store.readers.has(this)) return
    try {
      await this.#store.settle(true)
    } finally {
      this.#store.readers.delete(this)
      if (this.#store.readers.size === 0) {
        stores.delete(this.#store.key)
        await this.#store.close()
      }
    }
  }
}

/** `delete: true`: the file holds what is not yet acknowledged. */
export class RemovalOpener implements InputOpener {
  readonly trouble = undefined
  readonly #path: string
  readonly #fileSystem: FileSystem
  readonly #isExclusive: boolean
  readonly #log: Logger

  constructor(options: {
    readonly path: string
    readonly fileSystem: FileSystem
    /** One reader (`consume`), or all subscribers of the process together. */
    readonly isExclusive: boolean
    readonly log: Logger
  }) {
    this.#path = options.path
    this.#fileSystem = options.fileSystem
    this.#isExclusive = options.isExclusive
    this.#log = options.log
  }

  async open(): Promise<RecordInput | undefined> {
    const key = fileKey(this.#path)
    const shared = stores.get(key)
    if (shared !== undefined) return this.#join(shared)
    const opened = await openForReading(this.#fileSystem, this.#path)
    if (opened === undefined) return undefined
    try {
      assertReplaceable(opened.facts, this.#path)
    } catch (error) {
      await this.#fileSystem.close(opened.descriptor)
      throw error
    }
    const meanwhile = stores.get(key)
    if (meanwhile !== undefined) {
      await this.#fileSystem.close(opened.descriptor)
      return this.#join(meanwhile)
    }
    const store = new RemovalStore({
      path: this.#path,
      key,
      fileSystem: this.#fileSystem,
      descriptor: opened.descriptor,
      isExclusive: this.#isExclusive,
    })
    stores.set(key, store)
    this.#log.debug(`acknowledged records of ${this.#path} will be removed`)
    return new RemovalInput(store)
  }

  async close(): Promise<void> {}

  #join(store: RemovalStore): RecordInput {
    if (!this.#isExclusive && !store.isExclusive) return new RemovalInput(store)
    throw fileError({
      code: 'MQB_FILE_SHARED_DELETE',
      what: `another input of this process already removes records of ${this.#path}`,
    })
  }
}
