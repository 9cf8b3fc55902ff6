import type { LogLevel } from '../contract/logger.ts'

/** From the fewest lines to the most. */
export const logLevels: readonly LogLevel[] = ['error', 'warn', 'info', 'debug', 'trace']

/** Which lines are written: a level for everything, and levels for parts. */
export interface LogFilter {
  /** 0 is nothing, 1 `error`, … 5 `trace`. */
  readonly rank: number
  readonly parts: readonly { readonly segments: readonly string[]; readonly rank: number }[]
}

export interface ParsedLogFilter {
  readonly filter: LogFilter
  /** One text per directive that could not be read; it has no effect. */
  readonly problems: readonly string[]
}

export const rankOf = (level: LogLevel): number => logLevels.indexOf(level) + 1

/**
 * Reads directives such as `warn,core=debug,kafka=trace`: a bare level is for everything that no part matches.
 *
 * @param text empty: everything at `fallback`.
 */
export function parseLogFilter(text: string, fallback: LogLevel): ParsedLogFilter {
  let rank = rankOf(fallback)
  const parts: { segments: readonly string[]; rank: number }[] = []
  const problems: string[] = []
  for (const directive of text.split(',').map(part => part.trim())) {
    if (directive === '') continue
    const [name, level, ...more] = directive.split('=')
    const levelRank = parseRank(level ?? name ?? '')
    if (levelRank === undefined || more.length > 0 || name === '') problems.push(problemOf(directive))
    else if (level === undefined) rank = levelRank
    else parts.push({ segments: segmentsOf(name ?? ''), rank: levelRank })
  }
  // The most specific part is asked first; of two equal ones the later wins.
  parts.reverse()
  parts.sort((a, b) => b.segments.length - a.segments.length)
  return { filter: { rank, parts }, problems }
}

/** The highest rank that is written for a target. */
export function rankFor(filter: LogFilter, target: string): number {
  if (filter.parts.length === 0) return filter.rank
  const segments = segmentsOf(target)
  return filter.parts.find(part => contains(segments, part.segments))?.rank ?? filter.rank
}

function parseRank(text: string): number | undefined {
  const word = text.trim().toLowerCase()
  if (word === 'off') return 0
  const rank = logLevels.indexOf((word === 'warning' ? 'warn' : word) as LogLevel) + 1
  return rank === 0 ? undefined : rank
}

const segmentsOf = (target: string): string[] =>
  target.trim().toLowerCase().replaceAll('-', '_').split(/[.:]+/)

/** Whether the segments of a part stand side by side somewhere in a target: `kafka` is in `orders.kafka.consumer`. */
function contains(target: readonly string[], part: readonly string[]): boolean {
  for (let start = 0; start + part.length <= target.length; start++)
    if (part.every((segment, index) => target[start + index] === segment)) return true
  return false
}

const problemOf = (directive: string): string =>
  `${JSON.stringify(directive)} is neither a level (off, ${logLevels.join(', ')}) nor PART=LEVEL, such as kafka=debug`
