import type { Logger } from '../../contract/logger.ts'
import type { Clock } from '../../contract/opening.ts'

/** How long anything may take to close. */
export const closeLimitMs = 5000

export interface CloseWithin {
  readonly what: string
  readonly clock: Clock
  readonly log: Logger
  readonly close: () => Promise<void>
}

/** Closes something foreign: at most 5 s, and never throws. What hangs is left behind with a warning. */
export async function closeWithin({ what, clock, log, close }: CloseWithin): Promise<void> {
  const over = Symbol()
  let cancel = (): void => {}
  const limit = new Promise<typeof over>(resolve => {
    cancel = clock.timer(closeLimitMs, () => resolve(over))
  })
  try {
    const result = await Promise.race([(async () => close())(), limit])
    if (result === over)
      log.warn(`${what} did not close within ${closeLimitMs / 1000} s and was left behind`, {
        code: 'MQB_CLOSE_TIMEOUT',
      })
  } catch (thrown) {
    log.warn(`${what} failed while it closed`, { code: 'MQB_CLOSE_FAILED', error: thrown })
  } finally {
    cancel()
  }
}
