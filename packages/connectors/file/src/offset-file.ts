import { readFile } from 'node:fs/promises'
import type { Clock, Logger } from '@mqb/core'
import { errnoOf, fileError, fromSystemError } from './errors.ts'
import type { FileSystem } from './file-system.ts'
import { fileKey } from './path-lock.ts'
import { replaceFile } from './replacement.ts'

/** Where a group stands. */
export interface StoredPosition {
  /** The first byte that is not yet acknowledged. */
  readonly offset: number
  /** Of the file that the offset belongs to; absent in files that hold a bare number. */
  readonly inode?: string | number
  readonly size?: number
  readonly fingerprint?: string
}

// Twenty a second: a position is worth less than the disk it would wear out.
const pauseMs = 50

export function offsetPath(path: string, groupId: string): string {
  return `${path}.${groupId}.offset`
}

/**
 * @returns `undefined` when there is no offset file.
 * @throws {MqbError} `MQB_FILE_POSITION` when it holds no position.
 */
export async function loadPosition(path: string): Promise<StoredPosition | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw fromSystemError(error, `reading the position in ${path}`)
  }
  const position = parsePosition(text)
  if (position !== undefined) return position
  throw fileError({
    code: 'MQB_FILE_POSITION',
    what: `${path} holds no position but ${JSON.stringify(text.slice(0, 60))}`,
  })
}

/** JSON `{offset, inode, size, fingerprint}`, or a bare integer. */
function parsePosition(text: string): StoredPosition | undefined {
  if (/^\s*\d{1,15}\s*$/.test(text)) return { offset: Number(text) }
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null
    if (typeof value !== 'object' || value === null) return undefined
    const { offset, inode, size, fingerprint } = value
    if (!isCount(offset)) return undefined
    return {
      offset,
      ...(typeof inode === 'string' || typeof inode === 'number' ? { inode } : {}),
      ...(isCount(size) ? { size } : {}),
      ...(typeof fingerprint === 'string' ? { fingerprint } : {}),
    }
  } catch {
    return undefined
  }
}

/** Inodes of some file systems are larger than the integers of JSON readers. */
export function inodeValue(inode: bigint): number | string {
  return inode <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(inode) : String(inode)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Keeps the offset file up to date: replaced as a whole, at most 20 times a second, and at close. */
export class PositionWriter {
  /** The last failure, until a write works again. */
  failure: Error | undefined
  readonly #path: string
  readonly #fileSystem: FileSystem
  readonly #clock: Clock
  readonly #log: Logger
  #waiting: StoredPosition | undefined
  #writing: Promise<void> | undefined
  #cancelTimer: (() => void) | undefined
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(options: {
    readonly path: string
    readonly fileSystem: FileSystem
    readonly clock: Clock
    readonly log: Logger
  }) {
    this.#path = options.path
    this.#fileSystem = options.fileSystem
    this.#clock = options.clock
    this.#log = options.log
  }

  /** Writes soon. Whatever is given before that replaces it. */
  save(position: StoredPosition): void {
    this.#waiting = position
    if (this.#writing !== undefined || this.#cancelTimer !== undefined) return
    const dueMs = this.#lastMs + pauseMs - this.#clock.monotonic()
    if (dueMs <= 0) void this.flush()
    else this.#cancelTimer = this.#clock.timer(dueMs, () => void this.flush())
  }

  /** Writes now. Never rejects: what goes wrong is in `failure` and tried again with the next position. */
  async flush(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    while (this.#writing !== undefined) await this.#writing
    const position = this.#waiting
    if (position === undefined) return
    this.#waiting = undefined
    this.#writing = this.#write(position)
    await this.#writing
    this.#writing = undefined
    // What came while this one was written waits for its own turn.
    if (this.#waiting !== undefined) this.save(this.#waiting)
  }

  async #write(position: StoredPosition): Promise<void> {
    this.#lastMs = this.#clock.monotonic()
    try {
      const content = Buffer.from(`${JSON.stringify(position)}\n`)
      const replaced = await replaceFile(this.#fileSystem, fileKey(this.#path), descriptor =>
        writeAll(this.#fileSystem, descriptor, content),
      )
      await this.#fileSystem.close(replaced)
      this.failure = undefined
    } catch (error) {
      const first = this.failure === undefined
      this.failure = fromSystemError(error, `writing the position to ${this.#path}`)
      if (first)
        this.#log.error(`${this.failure.message}; until it works a restart reads more again`, {
          code: 'MQB_FILE_IO',
        })
    }
  }
}

async function writeAll(fileSystem: FileSystem, descriptor: number, content: Buffer): Promise<void> {
  for (let written = 0; written < content.length; )
    written += await fileSystem.write(descriptor, [content.subarray(written)], written)
}
