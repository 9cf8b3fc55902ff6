import { type Clock, type Logger, MqbError } from '@mqb/core'
import type { FileSystem } from './file-system.ts'
import { canGrow, fingerprintOf, matchesFingerprint } from './fingerprint.ts'
import { type FollowedFile, type OpenedFile, openForReading } from './followed-file.ts'
import { inodeValue, loadPosition, PositionWriter, type StoredPosition } from './offset-file.ts'
import { findRotated } from './siblings.ts'

export type LostPolicy = 'fail' | 'earliest' | 'latest' | 'nearest'

/** Where a group begins. */
export interface GroupStart {
  /** In the file at the configured path; `undefined` when that is a new file. */
  readonly offset: number | undefined
  readonly atTail: boolean
  /** The file of the position under its present name, to be read to its end first. */
  readonly rotated: { readonly path: string; readonly offset: number } | undefined
}

/** Finds and keeps the position of a group in whatever file it belongs to. */
export class GroupPosition {
  readonly #path: string
  readonly #lost: LostPolicy
  readonly #fileSystem: FileSystem
  readonly #log: Logger
  readonly #writer: PositionWriter
  readonly #fingerprints = new WeakMap<FollowedFile, string>()

  constructor(options: {
    /** Of the offset file. */
    readonly path: string
    readonly lost: LostPolicy
    readonly fileSystem: FileSystem
    readonly clock: Clock
    readonly log: Logger
  }) {
    this.#path = options.path
    this.#lost = options.lost
    this.#fileSystem = options.fileSystem
    this.#log = options.log
    this.#writer = new PositionWriter(options)
  }

  /** Why positions cannot be written at present. */
  get trouble(): string | undefined {
    return this.#writer.failure?.message
  }

  /** @throws {MqbError} `MQB_FILE_POSITION` for an offset file that holds none, under the policy `fail`. */
  async findStart(livePath: string, newGroupAtTail: boolean): Promise<GroupStart> {
    let stored: StoredPosition | undefined
    try {
      stored = await loadPosition(this.#path)
    } catch (error) {
      if (!MqbError.is(error) || error.code !== 'MQB_FILE_POSITION' || this.#lost === 'fail') throw error
      this.#log.warn(`${error.message}; position_lost is ${this.#lost}`, { code: error.code })
      return { offset: undefined, atTail: this.#lost === 'latest', rotated: undefined }
    }
    if (stored === undefined) return { offset: undefined, atTail: newGroupAtTail, rotated: undefined }
    if (await this.#isLive(livePath, stored))
      return { offset: stored.offset, atTail: false, rotated: undefined }
    const path = await findRotated(this.#fileSystem, livePath, stored)
    if (path === undefined && stored.offset > 0)
      this.#log.warn(
        `${livePath} is not the file that the position in ${this.#path} belongs to, and no rotated file beside it is: it is read from its start`,
      )
    return {
      offset: undefined,
      atTail: false,
      rotated: path === undefined ? undefined : { path, offset: stored.offset },
    }
  }

  /** Everything before `offset` is acknowledged. */
  async save(file: FollowedFile, offset: number): Promise<void> {
    const { size } = file.currentFacts()
    let fingerprint = this.#fingerprints.get(file)
    if (fingerprint === undefined || (!file.isClosed && canGrow(fingerprint, size))) {
      fingerprint = await fingerprintOf(this.#fileSystem, file.descriptor, size)
      this.#fingerprints.set(file, fingerprint)
    }
    this.#writer.save({ offset, inode: inodeValue(file.facts.inode), size, fingerprint })
  }

  async close(): Promise<void> {
    await this.#writer.flush()
  }

  async #isLive(livePath: string, stored: StoredPosition): Promise<boolean> {
    const opened = await openForReading(this.#fileSystem, livePath)
    if (opened === undefined) return false
    try {
      return await this.#continues(opened, stored)
    } finally {
      await this.#fileSystem.close(opened.descriptor)
    }
  }

  /** It begins like the file of the position and is not shorter than what was read of that. */
  async #continues(opened: OpenedFile, stored: StoredPosition): Promise<boolean> {
    if (opened.facts.size < stored.offset) return false
    if (stored.fingerprint === undefined) return true
    return matchesFingerprint(this.#fileSystem, opened.descriptor, stored.fingerprint)
  }
}
