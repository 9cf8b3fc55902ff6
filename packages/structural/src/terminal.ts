import { closedError, type EndpointStatus, type Message, type Outcomes, type Publisher } from '@mqb/core'

export interface TerminalParts {
  readonly target: string
  /** What becomes of the messages, by position. */
  answer(messages: readonly Message[]): Outcomes
  /** Of the status. */
  details?(): Readonly<Record<string, unknown>>
}

/** A publisher with nothing behind it: it answers at once, and has nothing to flush or to release. */
export function terminalPublisher({ target, answer, details }: TerminalParts): Publisher {
  let closed = false
  return {
    async send(messages, signal) {
      if (closed) throw closedError()
      signal.throwIfAborted()
      return answer(messages)
    },
    async flush() {},
    status: (): EndpointStatus => ({
      healthy: !closed,
      target,
      ...(details === undefined ? {} : { details: details() }),
    }),
    async close() {
      closed = true
    },
  }
}
