import { type ErrorKind, MqbError, type MqbErrorInit } from '@mqb/core'

interface ErrorEntry {
  readonly kind: ErrorKind
  readonly meaning: string
  readonly mend: string
}

/** Every code of this package. `kind` is the usual one. */
export const errorCodes: Readonly<Record<string, ErrorEntry>> = {
  MQB_FILE_CONFIG: {
    kind: 'config',
    meaning: 'The fields of a file endpoint do not fit together on this side.',
    mend: 'Do what the message says; nothing was opened.',
  },
  MQB_FILE_MISSING: {
    kind: 'permanent',
    meaning: 'The input file does not exist and the route is to end when it has read everything.',
    mend: 'Check `path`. Without drain the route waits for the file instead.',
  },
  MQB_FILE_NOT_A_FILE: {
    kind: 'permanent',
    meaning: 'The path is a directory or another thing that holds no records.',
    mend: 'Give the path of a file.',
  },
  MQB_FILE_DENIED: {
    kind: 'permanent',
    meaning: 'The operating system refuses access to the file or its directory.',
    mend: 'Check owner and mode of the file and of every directory above it.',
  },
  MQB_FILE_IO: {
    kind: 'retryable',
    meaning: 'Reading or writing failed: no space, a device error, too many open files.',
    mend: 'Look at the cause. What was written in part has been taken back; the messages come again.',
  },
  MQB_FILE_TORN_WRITE: {
    kind: 'retryable',
    meaning: 'A write failed half way, and the file could not be cut back to the last whole record.',
    mend: 'Nothing to do if the next write repairs the tail; where another process appended meanwhile, part of a record stays in the middle of the file.',
  },
  MQB_FILE_COMPRESSED: {
    kind: 'permanent',
    meaning: 'The file begins like gzip, zstd or lz4 data.',
    mend: 'Decompress it first, for example `zcat file.gz | mqb copy - TARGET`.',
  },
  MQB_FILE_SEALED: {
    kind: 'permanent',
    meaning: 'The file begins like sealed (encrypted) frames.',
    mend: 'Decrypt it first, or give another path.',
  },
  MQB_FILE_ENCODING: {
    kind: 'permanent',
    meaning: 'A CSV file begins with the byte-order mark of UTF-16.',
    mend: 'Convert it to UTF-8, for example with `iconv -f UTF-16 -t UTF-8`.',
  },
  MQB_FILE_LONG_RECORD: {
    kind: 'permanent',
    meaning: 'A record is longer than `max_record_bytes`, or a CSV quote never closes.',
    mend: 'Raise `max_record_bytes`, mend the record at the offset named, or set `on_long_record: skip`.',
  },
  MQB_FILE_POSITION: {
    kind: 'permanent',
    meaning: 'The offset file of a group cannot be read as a position.',
    mend: 'Restore or delete the offset file, or set `position_lost`.',
  },
  MQB_FILE_SHARED_DELETE: {
    kind: 'permanent',
    meaning: 'Two inputs of this process would remove records of one file.',
    mend: 'Let one of them read it, or set `mode: subscribe` on both.',
  },
  MQB_FILE_DELIMITER: {
    kind: 'permanent',
    meaning: 'The record delimiter occurs in what is to be written, where it cannot be escaped.',
    mend: 'Use another `delimiter` (0x1e is safe), or a format that escapes it: normal, json, text.',
  },
  MQB_FILE_NOT_JSON: {
    kind: 'permanent',
    meaning: 'CSV rows are made of JSON objects, and the payload is none, or an empty one.',
    mend: 'Send objects, or use another format; `dlq` keeps such messages.',
  },
  MQB_FILE_CELL: {
    kind: 'permanent',
    meaning: 'A value cannot be written as a CSV cell in this dialect.',
    mend: 'Use a dialect with quotes; a lone surrogate is no text in any encoding.',
  },
  MQB_FILE_COLUMNS: {
    kind: 'permanent',
    meaning: 'The payload does not have exactly the columns of the file, and `on_mismatch` is `fail`.',
    mend: 'Send the listed columns, or set `on_mismatch: warn`.',
  },
  MQB_FILE_HEADER: {
    kind: 'retryable',
    meaning: 'The header of an existing CSV file cannot be read, or the file was replaced meanwhile.',
    mend: 'Nothing was appended. Check the first line of the file.',
  },
  MQB_FILE_PATH: {
    kind: 'permanent',
    meaning:
      'The path for a message has a token without value, or leaves the directory before the first token.',
    mend: 'Check the payload or metadata that the path refers to.',
  },
  MQB_STDOUT_CLOSED: {
    kind: 'connection',
    meaning: 'Whoever read the standard output has closed it.',
    mend: 'Nothing to do when a pipe ends early on purpose, as with `| head`.',
  },
}

type FileErrorInit = Omit<MqbErrorInit, 'kind'> & { readonly kind?: ErrorKind }

/** An error of this package; kind and mend come from the table unless given. */
export function fileError(init: FileErrorInit): MqbError {
  const entry = errorCodes[init.code]
  if (entry === undefined) throw new TypeError(`unknown error code ${init.code}`)
  return new MqbError({ mend: entry.mend, ...init, kind: init.kind ?? entry.kind })
}

const denied = new Set(['EACCES', 'EPERM', 'EROFS'])
const notAFile = new Set(['EISDIR', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

/**
 * What an error of the operating system means here. Access and wrong kinds of file stay wrong until somebody mends
 * them; all else (no space, quota, device, open files, interrupted) can work later with nothing changed.
 */
export function fromSystemError(thrown: unknown, what: string): MqbError {
  if (MqbError.is(thrown)) return thrown
  const errno = errnoOf(thrown)
  const code = denied.has(errno)
    ? 'MQB_FILE_DENIED'
    : notAFile.has(errno)
      ? 'MQB_FILE_NOT_A_FILE'
      : 'MQB_FILE_IO'
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  return fileError({ code, what: `${what}: ${reason}`, cause: thrown, details: { errno } })
}

/** `ENOENT`, or an empty text for what is no error of the operating system. */
export function errnoOf(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : ''
}
