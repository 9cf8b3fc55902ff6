import type { Logger } from '@mqb/core'
import type { Bridge, RouteResult } from '@mqb/core/runtime'
import { type Host, nameOf, whenAborted } from '../process/host.ts'

/**
 * Stops a bridge when the process is told to: in order and within the deadline at the first signal, at once at the
 * second. Resolves when all routes have ended.
 */
export function stopOnSignal(
  { signals }: Pick<Host, 'signals'>,
  bridge: Bridge,
  log: Logger,
  deadlineMs: number,
): Promise<{ results: ReadonlyMap<string, RouteResult>; forced: boolean }> {
  return new Promise((resolve, reject) => {
    whenAborted(signals.stop, () => {
      log.info(
        `${nameOf(signals.stop)}: stopping, for at most ${deadlineMs / 1_000} s; again to stop at once`,
        {
          code: 'MQB_STOPPING',
        },
      )
      // Also for routes that are only about to start: the signal may have come while they were being loaded.
      bridge.requestShutdown({ deadlineMs })
      const stopped = bridge.stop({ deadlineMs })
      whenAborted(signals.force, () => {
        log.warn(`${nameOf(signals.force)} again: what is in flight is abandoned`, { code: 'MQB_FORCED' })
        void bridge.stop({ deadlineMs: 0 })
      })
      stopped.then(results => resolve({ results, forced: signals.force.aborted }), reject)
    })
  })
}
