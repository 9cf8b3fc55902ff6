/** Lets calls run one at a time, in the order in which they asked. */
export interface Turns {
  /** When the turn comes after the signal has aborted, `call` does not run and the promise rejects with its reason. */
  take<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T>
}

/** @see Turns */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return {
    take(signal, call) {
      const turn = last.then(() => {
        signal.throwIfAborted()
        return call()
      })
      last = turn.catch(() => undefined)
      return turn
    },
  }
}
