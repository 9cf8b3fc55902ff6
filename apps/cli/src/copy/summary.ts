/** What a copy did, in source messages. */
export interface CopyCounts {
  /** Taken from the source, redeliveries counted once. */
  readonly read: number
  readonly delivered: number
  readonly deadLettered: number
  /** Left out on purpose: filtered, duplicates, joined into others, handled. */
  readonly leftOut: number
  /** Failed for good and kept nowhere, or dropped by a step that is told to. */
  readonly lost: number
}

/** `1_234_567` */
export function groupDigits(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+(?!\d))/g, '_')
}

/** `523ms`, `2.34s` */
export function formatDuration(ms: number): string {
  return ms < 1_000 && Math.round(ms) < 1_000 ? `${Math.round(ms)}ms` : `${(ms / 1_000).toFixed(2)}s`
}

/** `427_350 rows/s`, of the rows read. */
export function formatRate(rows: number, ms: number): string {
  return `${groupDigits(ms <= 0 ? 0 : (rows * 1_000) / ms)} rows/s`
}

/** The one line at the end of a copy that went well. Scripts read it. */
export function summaryLine(counts: CopyCounts, elapsedMs: number, stopped: boolean): string {
  const start = stopped ? 'stopped after copying' : 'copied'
  const of = counts.leftOut > 0 ? ` of ${groupDigits(counts.read)}` : ''
  const dead = counts.deadLettered > 0 ? `, dead-lettered ${groupDigits(counts.deadLettered)}` : ''
  return `${start} ${groupDigits(counts.delivered)}${of} rows${dead} in ${formatDuration(elapsedMs)} (${formatRate(counts.read, elapsedMs)})`
}

/** The line of a copy that lost rows. */
export function lossLine(counts: CopyCounts, cause: string | undefined): string {
  const dead = counts.deadLettered > 0 ? `, dead-lettered ${groupDigits(counts.deadLettered)}` : ''
  return `read ${groupDigits(counts.read)} rows, delivered ${groupDigits(counts.delivered)}${dead}: ${groupDigits(counts.lost)} lost${cause === undefined ? '' : `; last cause: ${cause}`}`
}

/** The line of a copy that failed. */
export function failureLine(counts: CopyCounts, cause: string): string {
  const dead = counts.deadLettered > 0 ? ` (and dead-lettering ${groupDigits(counts.deadLettered)})` : ''
  return `failed after copying ${groupDigits(counts.delivered)} rows${dead}: ${cause}`
}
