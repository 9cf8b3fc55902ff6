import { type ByteSource, fileSource } from './byte-source.ts'
import { type Delimiter, findDelimiter } from './delimiter.ts'
import { errnoOf, fileError, fromSystemError } from './errors.ts'
import { type FileFacts, type FileSystem, isSameFile, readFully } from './file-system.ts'
import type { EndState, RecordInput } from './record-input.ts'

/** An open file whose path is watched for another file that takes its place. */
export class FollowedFile implements RecordInput {
  readonly path: string
  readonly source: ByteSource
  readonly startPosition: number
  readonly descriptor: number
  readonly facts: FileFacts
  readonly #livePath: string
  readonly #fileSystem: FileSystem
  readonly #onAcknowledge: ((file: FollowedFile, position: number) => void | Promise<void>) | undefined
  #lastFacts: FileFacts
  #replaced = false
  #closed = false

  constructor(options: {
    readonly fileSystem: FileSystem
    readonly opened: OpenedFile
    /** The configured path; another one than that of the file when a rotated file is read to its end first. */
    readonly livePath: string
    readonly startPosition: number
    readonly onAcknowledge?: (file: FollowedFile, position: number) => void | Promise<void>
  }) {
    this.path = options.opened.path
    this.descriptor = options.opened.descriptor
    this.facts = options.opened.facts
    this.#lastFacts = this.facts
    this.startPosition = options.startPosition
    this.source = fileSource(options.fileSystem, this.descriptor)
    this.#livePath = options.livePath
    this.#fileSystem = options.fileSystem
    this.#onAcknowledge = options.onAcknowledge
  }

  /** Another file has its path now. */
  get hasBeenReplaced(): boolean {
    return this.#replaced
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** As it is now, or as it was when it was closed. */
  currentFacts(): FileFacts {
    if (!this.#closed) this.#lastFacts = this.#fileSystem.factsOf(this.descriptor)
    return this.#lastFacts
  }

  endState(readPosition: number): EndState {
    if (this.currentFacts().size < readPosition) return 'truncated'
    const live = this.#fileSystem.facts(this.#livePath)
    // Whoever writes may still hold the old file: it is done with it once the new one has something in it.
    const isReplaced = live !== undefined && !isSameFile(live, this.facts)
    this.#replaced = isReplaced && (live.size > 0 || this.path !== this.#livePath)
    return this.#replaced ? 'replaced' : 'growing'
  }

  acknowledge(position: number): void | Promise<void> {
    return this.#onAcknowledge?.(this, position)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.currentFacts()
    this.#closed = true
    await this.#fileSystem.close(this.descriptor).catch(() => undefined)
  }
}

export interface OpenedFile {
  readonly path: string
  readonly descriptor: number
  readonly facts: FileFacts
}

/**
 * Opens a file for reading.
 *
 * @returns `undefined` when there is none.
 * @throws {MqbError} for a directory and for what may not be read.
 */
export async function openForReading(fileSystem: FileSystem, path: string): Promise<OpenedFile | undefined> {
  let descriptor: number
  try {
    // Before it is opened: that would wait for a writer, and hold a thread meanwhile.
    if (fileSystem.facts(path)?.isPipe === true)
      throw fileError({
        code: 'MQB_FILE_NOT_A_FILE',
        what: `${path} is a pipe or a socket, which can only be read once and from its start`,
        mend: `read it as the standard input: path "-", and \`< ${path}\` behind the command`,
      })
    descriptor = await fileSystem.open(path, 'r')
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw fromSystemError(error, `opening ${path}`)
  }
  try {
    const facts = fileSystem.factsOf(descriptor)
    if (facts.isDirectory) throw fileError({ code: 'MQB_FILE_NOT_A_FILE', what: `${path} is a directory` })
    return { path, descriptor, facts }
  } catch (error) {
    await fileSystem.close(descriptor).catch(() => undefined)
    throw fromSystemError(error, `opening ${path}`)
  }
}

const stepBytes = 65_536

/** One past the last delimiter before `size`: where an unfinished last record begins. 0 when there is none. */
export async function lastRecordStart(
  fileSystem: FileSystem,
  descriptor: number,
  size: number,
  delimiter: Delimiter,
): Promise<number> {
  const length = delimiter.bytes.length
  let end = size
  while (end > 0) {
    const start = Math.max(0, end - stepBytes)
    const bytes = await readFully(fileSystem, descriptor, start, Math.min(size, end + length - 1) - start)
    const at = bytes.lastIndexOf(delimiter.bytes)
    if (at >= 0) return start + at + length
    end = start
  }
  return 0
}

/** Whether the file ends right behind a delimiter; an empty one does. */
export async function endsInDelimiter(
  fileSystem: FileSystem,
  descriptor: number,
  size: number,
  delimiter: Delimiter,
): Promise<boolean> {
  const length = delimiter.bytes.length
  if (size < length) return size === 0
  const tail = await readFully(fileSystem, descriptor, size - length, length)
  return findDelimiter(tail, delimiter, 0) === 0
}
