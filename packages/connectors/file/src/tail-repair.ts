import type { Logger } from '@mqb/core'
import type { Format } from './config.ts'
import type { CsvDialect } from './csv/dialect.ts'
import { readFields } from './csv/fields.ts'
import { RecordScanner } from './csv/record-scanner.ts'
import { type Delimiter, recordEnd } from './delimiter.ts'
import { type FileSystem, readFully } from './file-system.ts'
import { endsInDelimiter, lastRecordStart } from './followed-file.ts'

export interface RecordShape {
  readonly format: Format
  readonly delimiter: Delimiter
  /** With `format: csv`. */
  readonly dialect?: CsvDialect | undefined
}

interface Tail {
  /** Where the unfinished record begins. */
  readonly start: number
  readonly isWhole: boolean
}

/**
 * Makes a file end in a whole record, so that what is appended begins a new one. A tail that is whole without its
 * delimiter gets one; any other is moved to `<path>.torn-<time>` and cut off.
 *
 * @param descriptor open for reading and appending.
 * @returns the size of the file afterwards.
 */
export async function repairTail(options: {
  readonly fileSystem: FileSystem
  readonly path: string
  readonly descriptor: number
  readonly size: number
  readonly shape: RecordShape
  readonly nowMs: number
  readonly log: Logger
}): Promise<number> {
  const { fileSystem, path, descriptor, size, shape, log } = options
  const tail = await findTail(fileSystem, descriptor, size, shape)
  if (tail === undefined) return size
  if (tail.isWhole) {
    await writeAll(fileSystem, descriptor, shape.delimiter.bytes)
    log.info(`the last record of ${path} had no delimiter and got one`)
    return size + shape.delimiter.bytes.length
  }
  const aside = await moveAside(options, tail.start)
  await fileSystem.truncate(descriptor, tail.start)
  log.warn(
    `${path} ended in part of a record: bytes ${tail.start} to ${size} were moved to ${aside}, and the file ends at byte ${tail.start} now`,
    { code: 'MQB_FILE_TORN_WRITE', from: tail.start, to: size, moved_to: aside },
  )
  return tail.start
}

async function findTail(
  fileSystem: FileSystem,
  descriptor: number,
  size: number,
  shape: RecordShape,
): Promise<Tail | undefined> {
  if (size === 0) return undefined
  if (shape.format === 'csv' && shape.dialect !== undefined)
    return findCsvTail(fileSystem, descriptor, size, shape.delimiter, shape.dialect)
  if (await endsInDelimiter(fileSystem, descriptor, size, shape.delimiter)) return undefined
  const start = await lastRecordStart(fileSystem, descriptor, size, shape.delimiter)
  const tail = await readFully(fileSystem, descriptor, start, size - start)
  if (shape.format !== 'raw') return { start, isWhole: isJson(tail, true) }
  const before = await recordBefore(fileSystem, descriptor, start, shape.delimiter)
  // Bare payloads can be anything. Where they are JSON, half of one can be told from a whole one.
  const isJsonFile = before === undefined ? beginsLikeJson(tail) : isJson(before, false)
  return { start, isWhole: !isJsonFile || isJson(tail, false) }
}

async function recordBefore(
  fileSystem: FileSystem,
  descriptor: number,
  start: number,
  delimiter: Delimiter,
): Promise<Buffer | undefined> {
  const at = start - delimiter.bytes.length
  if (at < 0) return undefined
  const from = await lastRecordStart(fileSystem, descriptor, at, delimiter)
  return readFully(fileSystem, descriptor, from, at - from)
}

function beginsLikeJson(tail: Buffer): boolean {
  return tail[0] === 0x7b || tail[0] === 0x5b
}

function isJson(bytes: Buffer, mustBeObject: boolean): boolean {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return !mustBeObject || (typeof value === 'object' && value !== null && !Array.isArray(value))
  } catch {
    return false
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
const stepBytes = 1_048_576

/**
 * A delimiter inside quotes ends no record, so only reading from the start tells where the last one begins. It is a
 * native search that stops at quotes.
 */
async function findCsvTail(
  fileSystem: FileSystem,
  descriptor: number,
  size: number,
  delimiter: Delimiter,
  dialect: CsvDialect,
): Promise<Tail | undefined> {
  const scanner = new RecordScanner(delimiter, dialect, [dialect.separator])
  const first = await readFully(fileSystem, descriptor, 0, 3)
  let recordStart = first.equals(byteOrderMark) ? byteOrderMark.length : 0
  let columns = -1
  let held: Buffer = Buffer.alloc(0)
  let heldAt = recordStart
  let scanFrom = 0
  while (heldAt + held.length < size) {
    const next = heldAt + held.length
    held = Buffer.concat([
      held,
      await readFully(fileSystem, descriptor, next, Math.min(stepBytes, size - next)),
    ])
    for (;;) {
      const at = scanner.scan(held, scanFrom)
      if (at < 0) {
        scanFrom = scanner.resumeAt
        break
      }
      if (columns < 0) {
        const start = recordStart - heldAt
        columns = readFields(held, start, recordEnd(held, delimiter, start, at), dialect).length
      }
      scanner.reset()
      scanFrom = at + delimiter.bytes.length
      recordStart = heldAt + scanFrom
    }
    const drop = recordStart - heldAt
    held = held.subarray(drop)
    heldAt = recordStart
    scanFrom -= drop
  }
  if (recordStart === size) return undefined
  scanner.scan(held, scanFrom, true)
  const isWhole =
    !scanner.isQuoted && (columns < 0 || readFields(held, 0, held.length, dialect).length === columns)
  return { start: recordStart, isWhole }
}

async function moveAside(
  options: {
    readonly fileSystem: FileSystem
    readonly path: string
    readonly descriptor: number
    readonly size: number
    readonly nowMs: number
  },
  start: number,
): Promise<string> {
  const { fileSystem, path, descriptor, size, nowMs } = options
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]/g, '').replace('.', '')
  let aside = `${path}.torn-${time}`
  for (let count = 2; fileSystem.facts(aside) !== undefined; count++) aside = `${path}.torn-${time}-${count}`
  const target = await fileSystem.open(aside, 'wx')
  try {
    for (let at = start; at < size; ) {
      const bytes = await readFully(fileSystem, descriptor, at, Math.min(stepBytes, size - at))
      if (bytes.length === 0) break
      await writeAll(fileSystem, target, bytes)
      at += bytes.length
    }
    // Before the file itself is cut, or a crash could lose both.
    await fileSystem.sync(target)
  } finally {
    await fileSystem.close(target)
  }
  return aside
}

/** Writes all of it at the end of the file, in as many calls as the system takes. */
async function writeAll(fileSystem: FileSystem, descriptor: number, bytes: Buffer): Promise<void> {
  let rest = bytes
  while (rest.length > 0) rest = rest.subarray(await fileSystem.write(descriptor, [rest]))
}
