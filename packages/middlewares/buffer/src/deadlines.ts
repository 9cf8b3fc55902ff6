/**
 * Tells many waiting calls that their deadline passed, with one listener for all calls that share a signal: a signal
 * looks through all of its listeners whenever one is added, and warns above ten.
 */
export interface Deadlines<T> {
  add(signal: AbortSignal, waiting: T): void
  remove(signal: AbortSignal, waiting: T): void
}

interface Watch<T> {
  readonly waiting: Set<T>
  readonly onAbort: () => void
}

/** @param onPassed called once for each that was added under a signal that aborts, in the order in which they came. */
export function createDeadlines<T>(onPassed: (waiting: T) => void): Deadlines<T> {
  const watches = new Map<AbortSignal, Watch<T>>()

  function watch(signal: AbortSignal): Watch<T> {
    const waiting = new Set<T>()
    const onAbort = (): void => {
      watches.delete(signal)
      for (const each of waiting) onPassed(each)
    }
    const created = { waiting, onAbort }
    watches.set(signal, created)
    signal.addEventListener('abort', onAbort, { once: true })
    return created
  }

  return {
    add(signal, waiting) {
      ;(watches.get(signal) ?? watch(signal)).waiting.add(waiting)
    },
    remove(signal, waiting) {
      const found = watches.get(signal)
      if (found === undefined || !found.waiting.delete(waiting) || found.waiting.size > 0) return
      watches.delete(signal)
      signal.removeEventListener('abort', found.onAbort)
    },
  }
}
