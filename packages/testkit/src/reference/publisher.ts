import {
  ack,
  closedError,
  failure,
  Message,
  MqbError,
  notSentError,
  type Outcome,
  type Publisher,
  publishableMetadata,
  settles,
} from '@mqb/core'
import type { ReferenceChannel } from './channel.ts'

export interface ReferencePublisherOptions {
  /** The answer of `send` is what the consumer's commit says. */
  readonly waitsForAnswers: boolean
  readonly maxPayloadBytes: number | null
  /** A payload with this text fails for now. */
  readonly refuse: string | undefined
  /** Nothing is stored behind a message that failed for now. */
  readonly ordered: boolean
  /** A message whose id is stored already is not stored again. */
  readonly idempotent: boolean
}

/** A correct publisher, small enough to be read as an example. */
export function createReferencePublisher(
  channel: ReferenceChannel,
  options: ReferencePublisherOptions,
): Publisher {
  const { connection } = channel
  let closed = false
  // What gives up the sends that wait. A set, and one listener, however many of them there are.
  const waiting = new Set<(reason: unknown) => void>()
  const giveUp = (reason: unknown): void => {
    for (const reject of [...waiting]) reject(reason)
  }
  const onLost = (): void => giveUp(connection.reason)
  connection.addEventListener('abort', onLost, { once: true })

  /** The answers, unless the deadline passes, the connection is lost or the publisher is closed before. */
  async function orGivenUp<T>(answers: Promise<T>, signal: AbortSignal): Promise<T> {
    let stop!: (reason: unknown) => void
    const givenUp = new Promise<never>((_, reject) => {
      stop = reject
    })
    const onAbort = (): void => stop(signal.reason)
    waiting.add(stop)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([answers, givenUp])
    } finally {
      waiting.delete(stop)
      signal.removeEventListener('abort', onAbort)
    }
  }

  function store(message: Message): Outcome | Promise<Outcome> {
    const { maxPayloadBytes } = options
    if (maxPayloadBytes !== null && message.byteLength > maxPayloadBytes)
      return failure(
        new MqbError({
          kind: 'permanent',
          code: 'MQB_REFERENCE_TOO_LARGE',
          what: `a payload of ${message.byteLength} bytes is larger than ${maxPayloadBytes}`,
        }),
      )
    if (options.refuse !== undefined && message.text().includes(options.refuse))
      return failure(
        new MqbError({
          kind: 'retryable',
          code: 'MQB_REFERENCE_REFUSED',
          what: 'refused for now, as configured',
        }),
      )
    if (options.idempotent && channel.stored.some(entry => entry.message.id === message.id)) return ack()
    const copy = new Message(
      message.isNull ? null : Buffer.from(message.payload),
      publishableMetadata(message.metadataPairs),
      message.id,
    )
    if (!options.waitsForAnswers) {
      channel.store(copy)
      return ack()
    }
    return new Promise(resolve => {
      channel.store(copy, outcome =>
        resolve(
          outcome.kind === 'reply' ? { kind: 'reply', message: outcome.message.withId(message.id) } : outcome,
        ),
      )
    })
  }

  function storeAll(messages: readonly Message[]): (Outcome | Promise<Outcome>)[] {
    let failed: MqbError | undefined
    return messages.map(message => {
      if (failed !== undefined) return failure(notSentError(failed))
      const outcome = store(message)
      if (options.ordered && 'error' in outcome && !settles(outcome)) failed = outcome.error
      return outcome
    })
  }

  return {
    async send(messages, signal) {
      if (closed) throw closedError()
      connection.throwIfAborted()
      signal.throwIfAborted()
      const answers = Promise.all(storeAll(messages))
      return options.waitsForAnswers ? orGivenUp(answers, signal) : answers
    },
    async flush() {},
    status: () => ({ healthy: !closed && !connection.aborted, target: 'reference' }),
    async close() {
      closed = true
      connection.removeEventListener('abort', onLost)
      giveUp(closedError())
    },
  }
}
