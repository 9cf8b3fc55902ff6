import type { Clock, Logger } from '@mqb/core'
import type { Format } from './config.ts'
import type { Delimiter } from './delimiter.ts'
import { type FileSystem, readFully } from './file-system.ts'
import { FollowedFile, lastRecordStart, type OpenedFile, openForReading } from './followed-file.ts'
import type { GroupPosition } from './group-position.ts'
import { checkStart, guardBytes } from './guard.ts'
import type { InputOpener, RecordInput } from './record-input.ts'
import { rotatedSince } from './siblings.ts'

export interface FileOpenerOptions {
  readonly fileSystem: FileSystem
  readonly path: string
  readonly format: Format
  readonly delimiter: Delimiter
  readonly clock: Clock
  readonly log: Logger
  /** Begins with what is appended from now on. */
  readonly atTail: boolean
  /** Where the group stood comes first. */
  readonly group: GroupPosition | undefined
}

/** Opens a file where reading is to begin, then, one after the other, the files that take its place. */
export class FileOpener implements InputOpener {
  readonly #options: FileOpenerOptions
  #atTail: boolean
  #isFirst = true
  #previous: FollowedFile | undefined
  // Rotated files to be read to their ends before the live one.
  #rotated: { readonly path: string; readonly offset: number }[] = []

  constructor(options: FileOpenerOptions) {
    this.#options = options
    this.#atTail = options.atTail
  }

  get trouble(): string | undefined {
    return this.#options.group?.trouble
  }

  async open(): Promise<RecordInput | undefined> {
    const { fileSystem, path, log, group } = this.#options
    let offset: number | undefined
    if (this.#isFirst && group !== undefined) {
      const start = await group.findStart(path, this.#atTail)
      this.#atTail = start.atTail
      offset = start.offset
      if (start.rotated !== undefined) this.#rotated.push(start.rotated)
    } else if (this.#previous?.hasBeenReplaced) {
      const paths = await rotatedSince(fileSystem, path, this.#previous.currentFacts())
      this.#rotated = paths.map(rotated => ({ path: rotated, offset: 0 }))
    }
    this.#isFirst = false
    for (const rotated of this.#rotated.splice(0, 1)) {
      const opened = await openForReading(fileSystem, rotated.path)
      if (opened === undefined) continue
      log.info(`reading ${rotated.path} from byte ${rotated.offset} on before ${path}`)
      return this.#follow(opened, rotated.offset)
    }
    const opened = await openForReading(fileSystem, path)
    // Whatever appears later was appended from now on.
    const atTail = this.#atTail
    this.#atTail = false
    if (opened === undefined) return undefined
    return this.#follow(opened, offset ?? (atTail ? await this.#tailOf(opened) : 0))
  }

  async close(): Promise<void> {
    await this.#options.group?.close()
  }

  async #follow(opened: OpenedFile, startPosition: number): Promise<RecordInput> {
    const { fileSystem, path, group } = this.#options
    if (startPosition > 0) await this.#guard(opened)
    const file = new FollowedFile({
      fileSystem,
      opened,
      livePath: path,
      startPosition,
      ...(group === undefined
        ? {}
        : { onAcknowledge: (of: FollowedFile, position: number) => group.save(of, position) }),
    })
    // From the first moment on a restart knows where to begin. Later files are saved with their first message: until
    // then those of the file before may still come back.
    if (this.#previous === undefined) await group?.save(file, startPosition)
    this.#previous = file
    return file
  }

  /** The end of the file, or the start of a record that is not finished yet. */
  #tailOf(opened: OpenedFile): Promise<number> {
    const { fileSystem, delimiter } = this.#options
    return lastRecordStart(fileSystem, opened.descriptor, opened.facts.size, delimiter)
  }

  /** For files whose first bytes are not read as records. */
  async #guard(opened: OpenedFile): Promise<void> {
    const { fileSystem, format, path } = this.#options
    try {
      checkStart(await readFully(fileSystem, opened.descriptor, 0, guardBytes), format, path, true)
    } catch (error) {
      await fileSystem.close(opened.descriptor).catch(() => undefined)
      throw error
    }
  }
}
