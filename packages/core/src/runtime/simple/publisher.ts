import type { Opening } from '../../contract/opening.ts'
import type { Outcome, Outcomes } from '../../contract/outcome.ts'
import type { Publisher } from '../../contract/publisher.ts'
import type { EndpointStatus } from '../../contract/status.ts'
import { closedError } from '../../errors/closed.ts'
import { MqbError } from '../../errors/mqb-error.ts'
import { toMqbError } from '../../errors/normalize.ts'
import { Message } from '../../message/message.ts'
import { publishableMetadata } from '../../message/metadata.ts'
import { ALL_ACKED } from '../../outcome/all-acked.ts'
import { ack, failure, reply } from '../../outcome/outcome.ts'
import { closeQuietly } from './close.ts'
import { simpleError } from './codes.ts'
import { nameOf } from './items.ts'
import { statusOf } from './status.ts'
import type { SimpleEndpoint } from './types.ts'

export interface SimplePublisherOptions {
  readonly target: string
  readonly endpoint: SimpleEndpoint
  readonly opening: Opening
}

/** A simple endpoint as a publisher. */
export class SimplePublisher implements Publisher {
  private readonly options: SimplePublisherOptions
  private closed: Promise<void> | undefined

  constructor(options: SimplePublisherOptions) {
    this.options = options
  }

  async send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    if (this.closed !== undefined) throw closedError()
    signal.throwIfAborted()
    if (messages.length === 0) return ALL_ACKED
    let results: unknown
    try {
      results = await this.options.endpoint.sendBatch?.(messages.map(withoutHop), signal)
    } catch (thrown) {
      throw toMqbError(thrown, 'retryable')
    }
    if (results === null || results === undefined) return ALL_ACKED
    if (!Array.isArray(results) || results.length !== messages.length) {
      throw simpleError(
        'MQB_CUSTOM_RESULT',
        'retryable',
        `sendBatch got ${messages.length} messages and returned ${Array.isArray(results) ? `${results.length} results` : nameOf(results)}`,
        'return nothing, or one result per message',
      )
    }
    return messages.map((message, index) => toOutcome(results[index], message))
  }

  async flush(): Promise<void> {
    if (this.closed !== undefined) return
    await this.options.endpoint.flush?.()
  }

  status(): EndpointStatus {
    return statusOf(this.options.endpoint, this.options.target, this.closed === undefined)
  }

  close(): Promise<void> {
    this.closed ??= closeQuietly(this.options.endpoint, this.options.opening)
    return this.closed
  }
}

function toOutcome(result: unknown, request: Message): Outcome {
  if (result === undefined || result === null || result === 'ack') return ack('delivered')
  if (Message.is(result)) return reply(withoutHop(result).withId(request.id))
  if (result instanceof Error || MqbError.is(result)) return failure(toMqbError(result, 'retryable'))
  if (result === 'nack') {
    return failure(simpleError('MQB_CUSTOM_NACKED', 'retryable', 'the endpoint asks for the message again'))
  }
  return failure(
    simpleError(
      'MQB_CUSTOM_RESULT',
      'retryable',
      `sendBatch answered a message with ${nameOf(result)}`,
      "answer with nothing, 'ack', 'nack', a Message as the reply, or an Error",
    ),
  )
}

function withoutHop(message: Message): Message {
  const pairs = publishableMetadata(message.metadataPairs)
  return pairs === message.metadataPairs ? message : message.withPairs(pairs)
}
