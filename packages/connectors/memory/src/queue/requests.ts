import {
  ack,
  failure,
  type Message,
  type MqbError,
  type Outcome,
  publishableMetadata,
  reply,
} from '@mqb/core'
import { memoryError } from '../errors.ts'
import { Fifo } from '../fifo.ts'

/** The metadata that ties a reply to its request. */
export const correlationKey = 'correlation_id'

/** Replies without a request are kept for whoever looks, this many. */
const responseCapacity = 100
/** Ids of requests that ended without a reply, so that a late one is told from one that nobody asked for. */
const rememberedEnded = 10_000

interface Waiter {
  /** Id of the message that asks: a reply to another message with the same `correlation_id` is not ours. */
  readonly requestId: string
  readonly settle: (outcome: Outcome) => void
}

/** The open requests of a topic. Each ends once: by a reply, another outcome, its time limit, or because the caller left. */
export class Requests {
  private readonly waiters = new Map<string, Waiter>()
  private readonly ended = new Set<string>()
  private readonly unasked = new Fifo<Message>()
  private late = 0
  private dropped = 0

  /** Requests that wait. */
  get size(): number {
    return this.waiters.size
  }

  /** Replies that came after their request had ended; they were dropped. */
  get lateReplies(): number {
    return this.late
  }

  /** Replies that nobody had asked for and that were pushed out by newer ones. */
  get droppedResponses(): number {
    return this.dropped
  }

  /**
   * Registers a request. `settle` is called at most once.
   *
   * @throws {MqbError} `permanent` when the id is in use.
   */
  open(correlationId: string, request: Message, settle: (outcome: Outcome) => void): void {
    if (this.waiters.has(correlationId)) {
      throw memoryError(
        'MQB_MEMORY_DUPLICATE_CORRELATION_ID',
        `a request with correlation_id ${JSON.stringify(correlationId)} is still open`,
      )
    }
    this.ended.delete(correlationId)
    this.waiters.set(correlationId, { requestId: request.id, settle })
  }

  /** Frees the id of a request that ended without an answer. */
  abandon(correlationId: string): void {
    if (!this.waiters.delete(correlationId)) return
    this.ended.add(correlationId)
    if (this.ended.size > rememberedEnded) this.ended.delete(this.ended.values().next().value!)
  }

  /** Hands a reply to whoever asked; the reply carries the id of the request. */
  reply(request: Message, answer: Message): void {
    const response = answer.withPairs(publishableMetadata(answer.metadataPairs)).withId(request.id)
    const waiter = this.take(request)
    if (waiter !== undefined) waiter.settle(reply(response))
    else if (this.wasAsked(request)) this.late++
    else this.keepUnasked(response)
  }

  /** The request was dealt with and nobody will reply: the caller gets an ack. */
  acknowledge(request: Message): void {
    this.take(request)?.settle(ack('delivered'))
  }

  /** The request failed and does not come again. */
  fail(request: Message, error: MqbError): void {
    const waiter = this.take(request)
    if (waiter === undefined) return
    const code = error.kind === 'permanent' ? 'MQB_MEMORY_REQUEST_FAILED' : 'MQB_MEMORY_REQUEST_NACKED'
    waiter.settle(failure(memoryError(code, `the request failed: ${error.what}`, { cause: error })))
  }

  /** Takes the replies that nobody had asked for, oldest first. */
  takeResponses(): Message[] {
    const responses = this.unasked.values()
    while (this.unasked.shift() !== undefined);
    return responses
  }

  private take(request: Message): Waiter | undefined {
    if (this.waiters.size === 0) return undefined
    const correlationId = request.getMetadata(correlationKey)
    if (correlationId === undefined) return undefined
    const waiter = this.waiters.get(correlationId)
    if (waiter === undefined || waiter.requestId !== request.id) return undefined
    this.waiters.delete(correlationId)
    return waiter
  }

  private wasAsked(request: Message): boolean {
    const correlationId = request.getMetadata(correlationKey)
    return correlationId !== undefined && (this.ended.has(correlationId) || this.waiters.has(correlationId))
  }

  private keepUnasked(response: Message): void {
    this.unasked.push(response.detach())
    if (this.unasked.length <= responseCapacity) return
    this.unasked.shift()
    this.dropped++
  }
}
