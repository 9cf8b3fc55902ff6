import type { Clock } from '@mqb/core'

const { setImmediate: nextTurn } = globalThis

export interface TestClock extends Clock {
  readonly pending: number
  advance(ms: number): Promise<void>
}

interface Timer {
  readonly at: number
  readonly fire: () => void
}

/** Lets everything that is due run: some turns of the event loop. */
export async function settle(turns = 4): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>(resolve => nextTurn(resolve))
}

/** Resolves when the condition holds, which must not need time to pass. */
export async function until(condition: () => boolean, what = 'the condition'): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    if (turn === 20_000) throw new Error(`${what} did not come true`)
    await settle(1)
  }
}

/** Time that moves when the test says so. */
export function testClock(): TestClock {
  const timers = new Set<Timer>()
  let elapsed = 0
  const timer = (ms: number, fire: () => void): (() => void) => {
    if (ms <= 0) {
      const immediate = nextTurn(fire)
      return () => clearImmediate(immediate)
    }
    const entry = { at: elapsed + ms, fire }
    timers.add(entry)
    return () => {
      timers.delete(entry)
    }
  }
  const nextDue = (until: number): Timer | undefined => {
    let next: Timer | undefined
    for (const entry of timers)
      if (entry.at <= until && (next === undefined || entry.at < next.at)) next = entry
    return next
  }
  return {
    now: () => 1_700_000_000_000 + elapsed,
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
    get pending() {
      return timers.size
    },
    async advance(ms) {
      const end = elapsed + ms
      await settle()
      for (let next = nextDue(end); next !== undefined; next = nextDue(end)) {
        elapsed = Math.max(elapsed, next.at)
        timers.delete(next)
        next.fire()
        await settle()
      }
      elapsed = end
      await settle()
    },
  }
}
