import type { ConfigProblem, Logger, LogLevel, Secrets } from '@mqb/core'
import { createLogger, type LogFormat, parseLogFilter } from '@mqb/core/runtime'
import type { Terminal } from '../process/terminal.ts'

export interface LogSetup {
  readonly terminal: Terminal
  readonly secrets: Secrets
  readonly environment: NodeJS.ProcessEnv
  /** `log_level` of the configuration. */
  readonly level?: string
  readonly fallback: LogLevel
  readonly format?: LogFormat
  /** Lines with this code are no news: what they tell is told otherwise. */
  readonly withoutCode?: string
}

// The first is ours: what cannot be read there is a mistake. The others may have been set for other programs.
const variables = ['MQB_LOG', 'MQ_BRIDGE_LOG', 'RUST_LOG'] as const

/** What is to be logged, and what could not be read of it: mistakes, and directives for other programs. */
export function logLevels({
  environment,
  level = '',
  fallback,
}: Pick<LogSetup, 'environment' | 'level' | 'fallback'>) {
  const variable = variables.find(name => (environment[name] ?? '') !== '')
  const text = variable === undefined ? level : (environment[variable] ?? '')
  const { filter, problems } = parseLogFilter(text, fallback)
  const isOurs = variable === undefined || variable === 'MQB_LOG'
  return {
    filter,
    problems: isOurs ? problems.map(what => problemOf(variable ?? 'log_level', what)) : [],
    foreign: isOurs ? [] : problems.map(problem => `${variable}: ${problem}`),
  }
}

/** The logger of the process, and what could not be read of the levels that were asked for. */
export function setUpLog(setup: LogSetup): { log: Logger; problems: readonly ConfigProblem[] } {
  const { terminal, environment } = setup
  const { filter, problems, foreign } = logLevels(setup)
  const toStdout = environment.MQB_LOG_STDOUT === '1'
  const log = createLogger({
    sink: (line, { fields }) => {
      if (setup.withoutCode !== undefined && fields.code === setup.withoutCode) return
      if (toStdout) terminal.out(line)
      else terminal.err(line)
    },
    level: filter,
    format: setup.format ?? 'plain',
    secrets: setup.secrets,
    color: terminal.color,
  })
  for (const problem of foreign) log.warn(problem)
  return { log, problems }
}

const problemOf = (where: string, what: string): ConfigProblem => ({
  severity: 'error',
  code: 'MQB_LOG_LEVEL',
  where,
  what,
  mend: 'for example: warn,core=debug',
})
