import type { Clock, Counters, Logger } from '@mqb/core'

/** Counts messages that no case takes, and says so: at most one line a second, with the count since the line before. */
export interface UnmatchedReport {
  readonly count: number
  add(count: number): void
  /** Says what is still unsaid. */
  close(): void
}

const pauseMs = 1000

/** @see UnmatchedReport */
export function createUnmatchedReport(log: Logger, clock: Clock, counters: Counters): UnmatchedReport {
  let total = 0
  let unsaid = 0
  let cancel: (() => void) | undefined

  function say(): void {
    cancel = undefined
    if (unsaid === 0) return
    log.warn(
      `${unsaid} ${unsaid === 1 ? 'message matches' : 'messages match'} no case and there is no default: dropped`,
      { code: 'MQB_SWITCH_UNMATCHED', count: unsaid },
    )
    unsaid = 0
    cancel = clock.timer(pauseMs, say)
  }

  return {
    get count() {
      return total
    },
    add(count) {
      total += count
      unsaid += count
      counters.add('unmatched', count)
      if (cancel === undefined) say()
    },
    close() {
      cancel?.()
      say()
      cancel?.()
      cancel = undefined
    },
  }
}
