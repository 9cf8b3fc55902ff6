import { type Message, MqbError, type Outcome } from '@mqb/core'

/** A message in a channel. */
export interface StoredMessage {
  /** As its publisher stored it. */
  readonly message: Message
  /** Counts from 0 in each channel. */
  readonly position: number
  /** Tells the sender what became of it, where the sender waits for that. */
  readonly answer: ((outcome: Outcome) => void) | undefined
}

/** A queue that outlives the endpoints that use it. */
export interface ReferenceChannel {
  /** Everything that was ever stored, in order. */
  readonly stored: readonly StoredMessage[]
  /** Waits for a consumer, in order of delivery. */
  readonly ready: StoredMessage[]
  /** Log position below which everything is settled; only consumers with ordered commits use it. */
  committed: number
  store(message: Message, answer?: (outcome: Outcome) => void): void
  /** Puts messages back where they came from, before everything younger. */
  putBack(messages: readonly StoredMessage[]): void
  /** Resolves at the next arrival, or when the signal aborts. */
  arrival(signal: AbortSignal): Promise<void>
  /** Aborts when the connections of this moment are lost; ends take it when they open. */
  readonly connection: AbortSignal
  /** Loses every connection. */
  cut(): void
}

export function createReferenceChannel(): ReferenceChannel {
  const stored: StoredMessage[] = []
  const ready: StoredMessage[] = []
  const waiters = new Set<() => void>()
  let connection = new AbortController()

  function announce(): void {
    for (const wake of [...waiters]) wake()
  }

  return {
    stored,
    ready,
    committed: 0,
    store(message, answer) {
      const entry: StoredMessage = { message, position: stored.length, answer }
      stored.push(entry)
      ready.push(entry)
      announce()
    },
    putBack(messages) {
      if (messages.length === 0) return
      ready.push(...messages)
      ready.sort((a, b) => a.position - b.position)
      announce()
    },
    get connection() {
      return connection.signal
    },
    cut() {
      const lost = connection
      connection = new AbortController()
      lost.abort(
        new MqbError({ kind: 'connection', code: 'MQB_REFERENCE_LOST', what: 'the connection was cut' }),
      )
    },
    arrival(signal) {
      return new Promise(resolve => {
        const wake = (): void => {
          waiters.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiters.add(wake)
        signal.addEventListener('abort', wake, { once: true })
        if (signal.aborted) wake()
      })
    },
  }
}
