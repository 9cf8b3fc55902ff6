// Imports nothing: this runs before the rest of the program is loaded.

/** What the outside asked of this process. */
export interface Signals {
  /** Aborts at the first SIGINT, SIGTERM, or `end`: finish what is in flight, then leave. */
  readonly stop: AbortSignal
  /** Aborts at the second one: leave now. */
  readonly force: AbortSignal
  /** Handles SIGHUP, which otherwise counts as a request to stop. */
  onHangUp(listener: () => void): void
  /** Asks for the stop from within. */
  end(reason: string): void
}

/** After the second signal the program may still say what was abandoned, for this long. */
const lastWordsMs = 1_000
const exitForced = 130

export function catchSignals(): Signals {
  const stop = new AbortController()
  const force = new AbortController()
  let hangUp: (() => void) | undefined

  const asked = (name: string): void => {
    if (!stop.signal.aborted) {
      stop.abort(name)
      return
    }
    if (force.signal.aborted) process.exit(exitForced)
    setTimeout(() => process.exit(exitForced), lastWordsMs).unref()
    force.abort(name)
  }
  process.on('SIGINT', () => asked('SIGINT'))
  process.on('SIGTERM', () => asked('SIGTERM'))
  process.on('SIGHUP', () => (hangUp === undefined ? asked('SIGHUP') : hangUp()))

  return {
    stop: stop.signal,
    force: force.signal,
    onHangUp(listener) {
      hangUp = listener
    },
    end(reason) {
      if (!stop.signal.aborted) stop.abort(reason)
    },
  }
}
