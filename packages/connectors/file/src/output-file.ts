import { constants } from 'node:fs'
import { dirname } from 'node:path'
import { type Clock, type Logger, type MqbError, notSentError } from '@mqb/core'
import { readFields } from './csv/fields.ts'
import { RecordScanner } from './csv/record-scanner.ts'
import { recordEnd } from './delimiter.ts'
import { errnoOf, fileError, fromSystemError } from './errors.ts'
import { type FileFacts, type FileSystem, isSameFile, readFully } from './file-system.ts'
import { checkStart, guardBytes } from './guard.ts'
import { withFileLock } from './path-lock.ts'
import type { RecordSink, WriteJob } from './record-sink.ts'
import { type RecordShape, repairTail } from './tail-repair.ts'
import { WriteQueue } from './write-queue.ts'

export interface OutputFileOptions {
  readonly path: string
  /** Of `fileKey`. */
  readonly key: string
  readonly fileSystem: FileSystem
  readonly shape: RecordShape
  readonly clock: Clock
  readonly log: Logger
}

const headerBytes = 1_048_576

interface FailedWrite {
  readonly jobs: readonly WriteJob[]
  /** Of the file before. */
  readonly size: number
  /** Jobs that are in the file as a whole. */
  readonly kept: number
  readonly headerLength: number
  readonly written: number
  readonly error: unknown
}

/**
 * A file that is appended to, shared by all publishers of the process that write to its path. One write is under way at
 * a time; what is queued meanwhile leaves together in the next one. A write that fails is taken back.
 */
export class OutputFile implements RecordSink {
  /** Columns of its header; `undefined` while it is empty, or has none. */
  columns: readonly string[] | undefined
  /** Bytes that are not forced to the disk yet. */
  isDirty = false
  readonly #options: OutputFileOptions
  readonly #queue: WriteQueue
  #descriptor: number | undefined
  #facts: FileFacts | undefined
  // The end of the file may hold part of a record.
  #isSuspect = true
  // What went to a device or a pipe, which has no size.
  #specialBytes = 0

  constructor(options: OutputFileOptions) {
    this.#options = options
    this.#queue = new WriteQueue(jobs => withFileLock(options.key, () => this.#write(jobs)))
  }

  get path(): string {
    return this.#options.path
  }

  get isIdle(): boolean {
    return this.#queue.isIdle
  }

  append(job: WriteJob): Promise<MqbError | undefined> {
    return this.#queue.add(job)
  }

  /** Opens it, creates it with its directories, or reopens it after its path was given to another file. */
  async ensureOpen(): Promise<void> {
    await withFileLock(this.#options.key, () => this.#ensureOpen())
  }

  /** Forces what was written to the disk. */
  async sync(): Promise<void> {
    await withFileLock(this.#options.key, async () => {
      if (!this.isDirty || this.#descriptor === undefined) return
      this.isDirty = false
      await this.#options.fileSystem.sync(this.#descriptor)
    })
  }

  /** Writes what is queued, then closes. */
  async close(): Promise<void> {
    await this.#queue.whenIdle()
    await withFileLock(this.#options.key, () => this.#closeDescriptor())
  }

  async #write(jobs: readonly WriteJob[]): Promise<(MqbError | undefined)[]> {
    let size: number
    try {
      size = await this.#ensureOpen()
    } catch (error) {
      return refuseAll(jobs, this.#temporary(error, `opening ${this.path}`))
    }
    const first = jobs[0] as WriteJob
    const foreign = jobs.findIndex(job => this.#isForeign(job, size > 0 ? this.columns : first.columns))
    const accepted = foreign < 0 ? jobs : jobs.slice(0, foreign)
    const refused = foreign < 0 ? [] : refuseAll(jobs.slice(foreign), this.#headerError())
    return [...(accepted.length === 0 ? [] : await this.#append(accepted, size)), ...refused]
  }

  async #append(jobs: readonly WriteJob[], size: number): Promise<(MqbError | undefined)[]> {
    const first = jobs[0] as WriteJob
    const header = size === 0 ? first.header : undefined
    const parts: Buffer[] = header === undefined ? [] : [header]
    for (const job of jobs) for (const part of job.parts) parts.push(part)
    const progress = { written: 0 }
    try {
      await this.#writeParts(parts, progress)
    } catch (error) {
      const kept = countWhole(jobs, progress.written - (header?.length ?? 0))
      return this.#takeBack({
        jobs,
        size,
        kept,
        headerLength: header?.length ?? 0,
        written: progress.written,
        error,
      })
    }
    this.isDirty = true
    this.#specialBytes += progress.written
    try {
      if (jobs.some(job => job.sync)) await this.#syncNow(size === 0)
    } catch (error) {
      return this.#takeBack({ jobs, size, kept: 0, headerLength: 0, written: progress.written, error })
    }
    if (size === 0) this.columns = first.columns
    return jobs.map(() => undefined)
  }

  /** Short writes go on where they stopped: nothing but a failure ends in the middle of a record. */
  async #writeParts(parts: Buffer[], progress: { written: number }): Promise<void> {
    let rest: readonly Buffer[] = parts
    while (rest.length > 0) {
      // More pieces than this are not taken in one call by any system.
      const written = await this.#options.fileSystem.write(this.#descriptor as number, rest.slice(0, 1024))
      progress.written += written
      rest = skipBytes(rest, written)
    }
  }

  /** Cuts the file behind the last job that is in it as a whole. Those before are done, the others were not written. */
  async #takeBack(failed: FailedWrite): Promise<(MqbError | undefined)[]> {
    const { jobs, size, kept, headerLength, written } = failed
    const { fileSystem, log } = this.#options
    const keptBytes = jobs.slice(0, kept).reduce((sum, job) => sum + job.byteLength, 0)
    const boundary = size + (kept === 0 ? 0 : headerLength + keptBytes)
    try {
      const facts = fileSystem.factsOf(this.#descriptor as number)
      if (facts.isFile) {
        if (facts.size > size + written) throw new Error('another process appended meanwhile')
        if (facts.size > boundary) await fileSystem.truncate(this.#descriptor as number, boundary)
      }
    } catch (error) {
      // The next write looks at the tail first, as at the start.
      this.#isSuspect = true
      log.error(`${this.path} may end in part of a record after a failed write: ${String(error)}`, {
        code: 'MQB_FILE_TORN_WRITE',
      })
    }
    if (kept > 0 && size === 0) this.columns = jobs[0]?.columns
    const failure = this.#temporary(failed.error, `writing to ${this.path}`)
    return [...jobs.slice(0, kept).map(() => undefined), ...refuseAll(jobs.slice(kept), failure)]
  }

  async #syncNow(isNew: boolean): Promise<void> {
    const { fileSystem, path } = this.#options
    await fileSystem.sync(this.#descriptor as number)
    this.isDirty = false
    if (isNew) await fileSystem.syncDirectory(dirname(path))
  }

  /** @returns the size of the file. */
  async #ensureOpen(): Promise<number> {
    const { fileSystem, path } = this.#options
    const live = fileSystem.facts(path)
    if (this.#facts !== undefined && this.#descriptor !== undefined && !this.#isSuspect) {
      if (live !== undefined && isSameFile(live, this.#facts)) {
        if (!live.isFile) return this.#specialBytes
        if (live.size === 0) this.columns = undefined
        return live.size
      }
      this.#options.log.info(`${path} was moved or removed: a new file is begun`)
    }
    if (live?.isPipe === true) await this.#assertRead()
    await this.#closeDescriptor()
    this.columns = undefined
    this.#descriptor = await this.#open(live === undefined || live.isFile || live.isDirectory ? 'a+' : 'a')
    this.#facts = fileSystem.factsOf(this.#descriptor)
    const size = this.#facts.isFile
      ? await this.#inspect(this.#descriptor, this.#facts.size)
      : this.#specialBytes
    this.#isSuspect = false
    return size
  }

  /** Opening a pipe that nobody reads waits, on a thread that not even the end of the process can take away. */
  async #assertRead(): Promise<void> {
    const { fileSystem, path } = this.#options
    try {
      await fileSystem.close(await fileSystem.open(path, constants.O_WRONLY | constants.O_NONBLOCK))
    } catch (error) {
      if (errnoOf(error) !== 'ENXIO') throw fromSystemError(error, `opening ${path}`)
      throw fileError({
        code: 'MQB_FILE_IO',
        what: `nobody reads the pipe ${path}`,
        mend: 'start its reader',
        cause: error,
      })
    }
  }

  /** @param flags reading too, to look at the tail; a pipe with itself as a reader would never report that nobody reads. */
  async #open(flags: string): Promise<number> {
    const { fileSystem, path } = this.#options
    try {
      return await fileSystem.open(path, flags)
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw fromSystemError(error, `opening ${path}`)
    }
    await fileSystem.makeDirectory(dirname(path))
    return fileSystem.open(path, flags)
  }

  /** What a file already holds: nothing that must not be appended to, and no torn record. */
  async #inspect(descriptor: number, size: number): Promise<number> {
    if (size === 0) return 0
    const { fileSystem, path, shape, clock, log } = this.#options
    checkStart(await readFully(fileSystem, descriptor, 0, guardBytes), shape.format, path, true)
    const repaired = await repairTail({ fileSystem, path, descriptor, size, shape, nowMs: clock.now(), log })
    if (repaired > 0) this.columns = await this.#readHeader(descriptor, repaired)
    return repaired
  }

  async #readHeader(descriptor: number, size: number): Promise<readonly string[] | undefined> {
    const { fileSystem, shape, path } = this.#options
    const { dialect, delimiter } = shape
    if (dialect === undefined || !dialect.header) return undefined
    const bytes = await readFully(fileSystem, descriptor, 0, Math.min(size, headerBytes))
    const start = checkStart(bytes.subarray(0, guardBytes), shape.format, path, true) ?? 0
    const at = new RecordScanner(delimiter, dialect, [dialect.separator]).scan(bytes.subarray(start), 0)
    if (at < 0) throw fileError({ code: 'MQB_FILE_HEADER', what: `the header of ${path} has no end` })
    return readFields(bytes, start, recordEnd(bytes, delimiter, start, start + at), dialect)
  }

  #isForeign(job: WriteJob, columns: readonly string[] | undefined): boolean {
    if (job.columns === undefined || columns === undefined || job.columns === columns) return false
    return (
      job.columns.length !== columns.length || job.columns.some((column, index) => column !== columns[index])
    )
  }

  #headerError(): MqbError {
    return fileError({
      code: 'MQB_FILE_HEADER',
      what: `${this.path} has other columns now than when these rows were made`,
    })
  }

  /** While a route runs nothing about a file is final: whoever removed a right can give it back. */
  #temporary(error: unknown, what: string): MqbError {
    const failure = fromSystemError(error, what)
    return failure.kind === 'permanent' ? failure.with({ kind: 'retryable' }) : failure
  }

  async #closeDescriptor(): Promise<void> {
    const descriptor = this.#descriptor
    this.#descriptor = undefined
    this.#facts = undefined
    if (descriptor !== undefined) await this.#options.fileSystem.close(descriptor).catch(() => undefined)
  }
}

/** The first is what failed; those behind it were not tried. */
function refuseAll(jobs: readonly WriteJob[], failure: MqbError): MqbError[] {
  return jobs.map((_, index) => (index === 0 ? failure : notSentError(failure)))
}

function countWhole(jobs: readonly WriteJob[], written: number): number {
  let sum = 0
  let count = 0
  for (const job of jobs) {
    sum += job.byteLength
    if (sum > written) break
    count++
  }
  return count
}

function skipBytes(parts: readonly Buffer[], count: number): readonly Buffer[] {
  let left = count
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] as Buffer
    if (left < part.length)
      return left === 0 ? parts.slice(index) : [part.subarray(left), ...parts.slice(index + 1)]
    left -= part.length
  }
  return []
}

interface SharedFile {
  readonly file: OutputFile
  users: number
}

const shared = new Map<string, SharedFile>()

/** The one open file behind a path, for all publishers of the process. Whoever takes it gives it back. */
export function takeOutputFile(options: OutputFileOptions): OutputFile {
  let entry = shared.get(options.key)
  if (entry === undefined) {
    entry = { file: new OutputFile(options), users: 0 }
    shared.set(options.key, entry)
  }
  entry.users++
  return entry.file
}

/** The last one to give it back closes it. */
export async function giveBackOutputFile(key: string): Promise<void> {
  const entry = shared.get(key)
  if (entry === undefined || --entry.users > 0) return
  shared.delete(key)
  await entry.file.close()
}
