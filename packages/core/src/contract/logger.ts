export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'trace'

/** JSON values that go with a line. `code` and `route` are the usual ones. */
export type LogFields = Readonly<Record<string, unknown>>

/** Where components write. Payloads only at `trace`. Every line is scrubbed of secrets before it leaves. */
export interface Logger {
  error(text: string, fields?: LogFields): void
  warn(text: string, fields?: LogFields): void
  info(text: string, fields?: LogFields): void
  debug(text: string, fields?: LogFields): void
  trace(text: string, fields?: LogFields): void
  /** Whether a line of this level would be written: ask before building an expensive text. */
  isEnabled(level: LogLevel): boolean
  /** A logger for a part, with fields that every line of it carries. */
  child(target: string, fields?: LogFields): Logger
}
