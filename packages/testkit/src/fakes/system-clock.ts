import type { Clock } from '@mqb/core'

/** The real time, and a count of what still waits for it. */
export interface SystemClock extends Clock {
  /** Timers and sleeps that have neither fired nor been cancelled: a closed component has none. */
  readonly pending: number
}

/** A real clock for tests against real systems. Its timers keep nothing alive. */
export function createSystemClock(): SystemClock {
  let pending = 0

  function timer(ms: number, callback: () => void): () => void {
    let waiting = true
    pending++
    const end = (): void => {
      if (waiting) pending--
      waiting = false
    }
    const handle = setTimeout(() => {
      end()
      callback()
    }, ms)
    handle.unref()
    return () => {
      clearTimeout(handle)
      end()
    }
  }

  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    timer,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason)
          return
        }
        const onAbort = (): void => {
          cancel()
          reject(signal?.reason)
        }
        const cancel = timer(ms, () => {
          signal?.removeEventListener('abort', onAbort)
          resolve()
        })
        signal?.addEventListener('abort', onAbort, { once: true })
      })
    },
    get pending() {
      return pending
    },
  }
}
