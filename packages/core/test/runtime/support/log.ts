import type { LogFields, Logger, LogLevel } from '@mqb/core'

export interface LogLine {
  readonly level: LogLevel
  readonly text: string
  readonly fields: LogFields
}

export interface TestLog extends Logger {
  readonly lines: LogLine[]
  withCode(code: string): LogLine[]
}

export function testLog(): TestLog {
  const lines: LogLine[] = []
  const make = (own: LogFields): TestLog => {
    const write =
      (level: LogLevel) =>
      (text: string, fields: LogFields = {}): void => {
        lines.push({ level, text, fields: { ...own, ...fields } })
      }
    return {
      lines,
      withCode: code => lines.filter(line => line.fields.code === code),
      error: write('error'),
      warn: write('warn'),
      info: write('info'),
      debug: write('debug'),
      trace: write('trace'),
      isEnabled: () => true,
      child: (_target, fields) => make({ ...own, ...fields }),
    }
  }
  return make({})
}
