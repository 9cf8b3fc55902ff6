import type { Clock, Logger } from '@mqb/core'

/** Says that messages were dead-lettered: at most one line a second, with the count since the line before. */
export interface DeadLetterReport {
  add(count: number, reason: string): void
  /** Writes what is still unsaid. */
  close(): void
}

const pauseMs = 1000

/** @see DeadLetterReport */
export function createReport(log: Logger, clock: Clock): DeadLetterReport {
  let unsaid = 0
  let lastReason = ''
  let cancel: (() => void) | undefined

  function say(): void {
    cancel = undefined
    if (unsaid === 0) return
    log.warn(`${unsaid} ${unsaid === 1 ? 'message was' : 'messages were'} dead-lettered: ${lastReason}`, {
      code: 'MQB_DEAD_LETTERED',
      count: unsaid,
    })
    unsaid = 0
    cancel = clock.timer(pauseMs, say)
  }

  return {
    add(count, reason) {
      unsaid += count
      lastReason = reason
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
