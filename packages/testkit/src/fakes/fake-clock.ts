import type { Clock } from '@mqb/core'

// Taken at import, so that a runner that replaces the global timers does not stop this clock from yielding.
const { setImmediate: nextTurn } = globalThis

/** A clock that only moves when the test says so. */
export interface FakeClock extends Clock {
  /** Timers and sleeps that have not fired yet. */
  readonly pending: number
  /** Milliseconds until each pending timer fires, soonest first. */
  readonly dueIn: readonly number[]
  /**
   * Moves the time forward and fires what is due on the way, in order. After each instant at which something fired the
   * event loop gets turns, so that code which was woken can start its next timer within the same `advance`.
   */
  advance(ms: number): Promise<void>
  /** Resolves when at least `count` timers are pending: the code under test has begun to wait. */
  waitForTimers(count?: number): Promise<void>
}

interface Timer {
  readonly at: number
  readonly fire: () => void
}

/** @param startMs the value of `now()` at the start; `monotonic()` starts at 0. */
export function createFakeClock(startMs = Date.UTC(2024, 0, 1)): FakeClock {
  // A Set keeps the order of insertion, which decides between timers of the same instant.
  const timers = new Set<Timer>()
  let elapsed = 0

  function timer(ms: number, callback: () => void): () => void {
    const entry: Timer = { at: elapsed + Math.max(0, ms), fire: callback }
    timers.add(entry)
    return () => {
      timers.delete(entry)
    }
  }

  function nextDue(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const entry of timers)
      if (entry.at <= until && (next === undefined || entry.at < next.at)) next = entry
    return next
  }

  async function advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new TypeError(`a clock moves forward only, got ${ms} ms`)
    const until = elapsed + ms
    await turns()
    for (let next = nextDue(until); next !== undefined; next = nextDue(until)) {
      elapsed = Math.max(elapsed, next.at)
      timers.delete(next)
      next.fire()
      await turns()
    }
    elapsed = until
    await turns()
  }

  return {
    now: () => startMs + elapsed,
    monotonic: () => elapsed,
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
    advance,
    async waitForTimers(count = 1) {
      for (let turn = 0; timers.size < count; turn++) {
        if (turn === 10_000) throw new Error(`${timers.size} timers are pending, waited for ${count}`)
        await turns()
      }
    },
    get pending() {
      return timers.size
    },
    get dueIn() {
      return [...timers].map(entry => entry.at - elapsed).sort((a, b) => a - b)
    },
  }
}

/** A few turns of the event loop: enough for chains of promises and for callbacks that are already due. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>(resolve => nextTurn(resolve))
}
