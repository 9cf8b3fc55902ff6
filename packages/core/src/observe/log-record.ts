import type { LogFields, LogLevel } from '../contract/logger.ts'
import type { Secrets } from '../contract/opening.ts'
import { MqbError } from '../errors/mqb-error.ts'
import { describeThrown } from '../errors/normalize.ts'

/** One line before it is formatted. Scrubbed already. */
export interface LogRecord {
  /** Milliseconds since the Unix epoch. */
  readonly time: number
  readonly level: LogLevel
  /** Which part speaks: `core.route`, `kafka`. Empty for the program itself. */
  readonly target: string
  readonly message: string
  /** JSON values. */
  readonly fields: LogFields
}

const deepest = 6

/** Makes JSON values of whatever was passed as fields, with the secrets taken out of every text. */
export function cleanFields(fields: LogFields, secrets: Secrets): LogFields {
  const clean: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(fields))
    if (value !== undefined) clean[key] = cleanValue(value, secrets, 0)
  return clean
}

function cleanValue(value: unknown, secrets: Secrets, depth: number): unknown {
  if (typeof value === 'string') return secrets.scrub(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'boolean' || value === null || value === undefined) return value ?? null
  if (MqbError.is(value) || value instanceof Error) return cleanError(value, secrets)
  if (typeof value !== 'object') return secrets.scrub(String(value))
  if (value instanceof Uint8Array) return `${value.byteLength} bytes`
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (depth === deepest) return '…'
  if (Array.isArray(value)) return value.map(item => cleanValue(item, secrets, depth + 1))
  const clean: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value))
    clean[secrets.scrub(key)] = cleanValue(item, secrets, depth + 1)
  return clean
}

function cleanError(error: Error, secrets: Secrets): unknown {
  const text = secrets.scrub(describeThrown(error))
  return MqbError.is(error) ? { code: error.code, kind: error.kind, message: text } : text
}
