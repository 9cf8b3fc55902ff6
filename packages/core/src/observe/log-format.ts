import type { LogLevel } from '../contract/logger.ts'
import type { LogRecord } from './log-record.ts'

export type LogFormat = 'plain' | 'json'

/** One JSON object, without a line end. */
export function formatJson(record: LogRecord): string {
  const { time, level, target, message, fields } = record
  return JSON.stringify({
    time: new Date(time).toISOString(),
    level,
    target,
    message,
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
  })
}

/** `TIME LEVEL target: message key=value`, without a line end. */
export function formatPlain(record: LogRecord, color: boolean): string {
  const paint = color ? painted : unpainted
  const target = record.target === '' ? '' : `${paint(`${record.target}:`, dim)} `
  let line = `${paint(new Date(record.time).toISOString(), dim)} ${paint(record.level.toUpperCase().padEnd(5), levelColors[record.level])} ${target}${visible(record.message)}`
  for (const [key, value] of Object.entries(record.fields))
    line += ` ${paint(`${key}=`, dim)}${fieldText(value)}`
  return line
}

const dim = 2
const levelColors: Readonly<Record<LogLevel, number>> = { error: 31, warn: 33, info: 32, debug: 36, trace: 2 }

const painted = (text: string, code: number): string => `\u001b[${code}m${text}\u001b[0m`
const unpainted = (text: string): string => text

function fieldText(value: unknown): string {
  if (typeof value !== 'string') return visible(JSON.stringify(value))
  return /^[^\s"=]+$/.test(value) ? visible(value) : visible(JSON.stringify(value))
}

/**
 * Texts of drivers and peers must not move the cursor or pass for a line of ours: further lines are indented, other
 * control characters are spelled out.
 */
export function visible(text: string): string {
  return text
    .replace(/\r?\n/g, '\n    ')
    .replace(/[^\P{Cc}\n\t]/gu, character => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
