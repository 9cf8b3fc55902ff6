import type { LogFields, Logger, LogLevel } from '../contract/logger.ts'
import type { Clock, Secrets } from '../contract/opening.ts'
import { type LogFilter, parseLogFilter, rankFor, rankOf } from './log-filter.ts'
import { formatJson, formatPlain, type LogFormat } from './log-format.ts'
import { cleanFields, type LogRecord } from './log-record.ts'
import { createSecrets } from './secrets.ts'

/** Takes finished lines, without a line end; or the record, for a host that formats itself. Must not throw. */
export type LogSink = (line: string, record: LogRecord) => void

export interface LoggerOptions {
  readonly sink: LogSink
  /** A level, or what `parseLogFilter` read. */
  readonly level?: LogLevel | LogFilter
  readonly format?: LogFormat
  /** Their values are taken out of every line. Without them only the shapes of passwords are. */
  readonly secrets?: Secrets
  readonly clock?: Pick<Clock, 'now'>
  /** Colours in plain lines. */
  readonly color?: boolean
}

/** A logger for a whole process; parts get theirs by `child`. Does nothing by itself: the sink writes. */
export function createLogger(options: LoggerOptions): Logger {
  const level = options.level ?? 'info'
  const shared: Shared = {
    sink: options.sink,
    filter: typeof level === 'string' ? parseLogFilter('', level).filter : level,
    format: options.format === 'json' ? formatJson : record => formatPlain(record, options.color ?? false),
    secrets: options.secrets ?? createSecrets(),
    clock: options.clock ?? { now: Date.now },
  }
  return loggerFor(shared, '', {})
}

interface Shared {
  readonly sink: LogSink
  readonly filter: LogFilter
  readonly format: (record: LogRecord) => string
  readonly secrets: Secrets
  readonly clock: Pick<Clock, 'now'>
}

function loggerFor(shared: Shared, target: string, own: LogFields): Logger {
  const rank = rankFor(shared.filter, target)

  const write = (level: LogLevel, text: string, fields: LogFields | undefined): void => {
    const { secrets } = shared
    const record: LogRecord = {
      time: shared.clock.now(),
      level,
      target,
      message: secrets.scrub(text),
      fields: cleanFields(fields === undefined ? own : { ...own, ...fields }, secrets),
    }
    shared.sink(shared.format(record), record)
  }
  const writerFor =
    (level: LogLevel) =>
    (text: string, fields?: LogFields): void => {
      if (rankOf(level) <= rank) write(level, text, fields)
    }

  return {
    error: writerFor('error'),
    warn: writerFor('warn'),
    info: writerFor('info'),
    debug: writerFor('debug'),
    trace: writerFor('trace'),
    isEnabled: level => rankOf(level) <= rank,
    child: (part, fields) =>
      loggerFor(
        shared,
        target === '' ? part : part === '' ? target : `${target}.${part}`,
        fields === undefined ? own : { ...own, ...fields },
      ),
  }
}

/** A logger that writes nothing. */
export const silentLogger: Logger = Object.freeze({
  error() {},
  warn() {},
  info() {},
  debug() {},
  trace() {},
  isEnabled: () => false,
  child: (): Logger => silentLogger,
})
