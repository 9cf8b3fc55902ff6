import type { LogFields, Logger, LogLevel } from '@mqb/core'

export interface LogLine {
  readonly level: LogLevel
  /** Names of the child loggers, joined with dots; empty for the root. */
  readonly target: string
  readonly text: string
  /** The fields of the line and those of its child loggers; the line's own win. */
  readonly fields: LogFields
}

/** A logger that keeps every line. Children write into the same list. */
export interface RecordingLogger extends Logger {
  readonly lines: readonly LogLine[]
  /** Lines of one level whose text contains `part`. */
  find(level: LogLevel, part?: string): readonly LogLine[]
  clear(): void
}

const levels: readonly LogLevel[] = ['error', 'warn', 'info', 'debug', 'trace']

/** @param lowest lines below this level are dropped, and `isEnabled` says so. */
export function createRecordingLogger(lowest: LogLevel = 'trace'): RecordingLogger {
  const lines: LogLine[] = []
  const isEnabled = (level: LogLevel): boolean => levels.indexOf(level) <= levels.indexOf(lowest)

  function create(target: string, inherited: LogFields): RecordingLogger {
    const write =
      (level: LogLevel) =>
      (text: string, fields?: LogFields): void => {
        if (isEnabled(level)) lines.push({ level, target, text, fields: { ...inherited, ...fields } })
      }
    return {
      lines,
      find: (level, part = '') => lines.filter(line => line.level === level && line.text.includes(part)),
      clear() {
        lines.length = 0
      },
      error: write('error'),
      warn: write('warn'),
      info: write('info'),
      debug: write('debug'),
      trace: write('trace'),
      isEnabled,
      child: (name, fields) =>
        create(target === '' ? name : `${target}.${name}`, { ...inherited, ...fields }),
    }
  }
  return create('', {})
}
