import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import {
  type Clock,
  type EndpointStatus,
  failure,
  type Message,
  type Outcome,
  type Outcomes,
  toMqbError,
} from '@mqb/core'
import { memoryError } from '../errors.ts'
import { publishable } from '../publishable.ts'
import { QueuePublisher, type QueuePublisherOptions } from './publisher.ts'
import { correlationKey } from './requests.ts'

export interface RequestPublisherOptions extends QueuePublisherOptions {
  readonly timeoutMs: number
  readonly clock: Clock
}

/** Sends each message as a request of its own and answers with its reply. The requests of a call run side by side. */
export class RequestPublisher extends QueuePublisher {
  private readonly timeoutMs: number
  private readonly clock: Clock

  constructor(options: RequestPublisherOptions) {
    super(options)
    this.timeoutMs = options.timeoutMs
    this.clock = options.clock
  }

  override async send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    this.assertOpen()
    signal.throwIfAborted()
    return this.waits.run(signal, inner => this.requestAll(publishable(messages), inner))
  }

  override status(): EndpointStatus {
    const { requests } = this.topic
    return {
      ...super.status(),
      details: { open_requests: requests.size, late_replies: requests.lateReplies },
    }
  }

  /** One timer for the call: all its requests began together. */
  private requestAll(messages: readonly Message[], signal: AbortSignal): Promise<Outcome[]> {
    const { channel, requests } = this.topic
    const outcomes = new Array<Outcome>(messages.length)
    const open = new Map<string, number>()
    const puts = new AbortController()
    // One per request that waits for a place: many, and each leaves.
    setMaxListeners(0, puts.signal)
    return new Promise<Outcome[]>((resolve, reject) => {
      const settle = (correlationId: string, index: number, outcome: Outcome): void => {
        if (!open.delete(correlationId)) return
        outcomes[index] = outcome
        if (open.size === 0) end(() => resolve(outcomes))
      }
      const end = (finish: () => void): void => {
        cancelTimer()
        signal.removeEventListener('abort', leave)
        for (const correlationId of open.keys()) requests.abandon(correlationId)
        finish()
      }
      const leave = (): void => {
        puts.abort(signal.reason)
        end(() => reject(signal.reason))
      }
      const timeOut = (): void => {
        const error = memoryError('MQB_MEMORY_REQUEST_TIMEOUT', `no reply within ${this.timeoutMs} ms`)
        puts.abort(error)
        for (const index of open.values()) outcomes[index] = failure(error)
        end(() => resolve(outcomes))
      }
      const cancelTimer = this.clock.timer(this.timeoutMs, timeOut)
      signal.addEventListener('abort', leave, { once: true })

      const begun: { request: Message; correlationId: string }[] = []
      for (const [index, message] of messages.entries()) {
        const given = message.getMetadata(correlationKey)
        const correlationId = given ?? randomUUID()
        const request = given === undefined ? message.withMetadata([correlationKey, correlationId]) : message
        try {
          requests.open(correlationId, request, outcome => settle(correlationId, index, outcome))
        } catch (error) {
          outcomes[index] = failure(toMqbError(error, 'permanent'))
          continue
        }
        open.set(correlationId, index)
        begun.push({ request, correlationId })
      }
      if (open.size === 0) return end(() => resolve(outcomes))
      for (const { request, correlationId } of begun) {
        const index = open.get(correlationId)
        if (index === undefined) continue
        channel.put([request], puts.signal).catch((error: unknown) => {
          if (!open.has(correlationId)) return
          requests.abandon(correlationId)
          settle(correlationId, index, failure(toMqbError(error, 'retryable')))
        })
      }
    })
  }
}
