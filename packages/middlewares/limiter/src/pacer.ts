import type { Clock } from '@mqb/core'

/** Spaces calls out by the number of messages that they move. */
export interface Pacer {
  /**
   * Waits until the next call may start and calls `start`. Calls that wait start in the order in which they came.
   * Rejects with `signal.reason` when the signal aborts first; that costs the others nothing.
   *
   * @param size messages of the call, where that is known before it starts.
   */
  next(size: number, signal: AbortSignal): Promise<void>
  /** Messages of the call that started last, told afterwards. */
  took(size: number): void
}

// Far below what a timer of Node can wait at most.
const longestSleepMs = 86_400_000

/** @param clock its monotonic time counts, so that a change of the wall clock changes nothing. */
export function createPacer(messagesPerSecond: number, clock: Clock): Pacer {
  const msPerMessage = 1000 / messagesPerSecond
  let startedMs = Number.NEGATIVE_INFINITY
  let nextMs = Number.NEGATIVE_INFINITY
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  function start(size: number, atMs: number): void {
    startedMs = atMs
    nextMs = atMs + size * msPerMessage
  }

  async function waitAndStart(size: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const dueMs = Math.max(nextMs, clock.monotonic())
    for (let leftMs = dueMs - clock.monotonic(); leftMs > 0; leftMs = dueMs - clock.monotonic())
      await clock.sleep(Math.min(leftMs, longestSleepMs), signal)
    // Not the time at which the timer fired: timers are late, and the lateness of many would lower the rate.
    start(size, dueMs)
  }

  return {
    async next(size, signal) {
      const nowMs = clock.monotonic()
      if (waiting === 0 && nowMs >= nextMs) {
        signal.throwIfAborted()
        start(size, nowMs)
        return
      }
      waiting++
      const turn = last.then(() => waitAndStart(size, signal))
      const leave = (): void => {
        waiting--
      }
      last = turn.then(leave, leave)
      await turn
    },
    took(size) {
      nextMs = startedMs + size * msPerMessage
    },
  }
}
