import type { ConfigSchema } from '../../contract/plugin.ts'
import type { EndpointStatus } from '../../contract/status.ts'
import type { MqbError } from '../../errors/mqb-error.ts'
import type { Message } from '../../message/message.ts'

export type MaybePromise<T> = T | Promise<T>

/**
 * What a simple endpoint may hand over as a message: a message, payload bytes, payload text, or any other value, which
 * becomes its JSON text.
 */
export type SimpleItem = unknown

/**
 * What a simple source is told about a message: `ack`, done with; `nack`, hand it over again. With the capability
 * `replies` also the reply, or the error of a message that failed for good.
 */
export type SimpleOutcome = 'ack' | 'nack' | Message | MqbError

/** Items with a commit of their own; the `commit` of the endpoint is then not called for them. */
export interface SimpleBatch {
  readonly messages: Iterable<SimpleItem>
  commit?(outcomes: readonly SimpleOutcome[], messages: readonly Message[]): MaybePromise<void>
}

/** What a simple sink says about a message: nothing or `ack`, taken; `nack`, later; a reply; or an error. */
export type SimpleResult = 'ack' | 'nack' | Message | Error | null | undefined

/** An endpoint as an object with a few methods. Only those for the side on which it is used are needed. */
export interface SimpleEndpoint {
  /**
   * The next messages, at most `max`; more are kept for the next call. Waits, or returns nothing or none for "nothing
   * now", which is the end of a drain. Throw `EndOfStream` when there will never be more.
   *
   * @param signal aborts when the endpoint is closed.
   */
  receiveBatch?(
    max: number,
    signal: AbortSignal,
  ): MaybePromise<Iterable<SimpleItem> | SimpleBatch | null | undefined>
  /** One outcome per message of a batch that `receiveBatch` returned. What is not committed at `close` counts as open. */
  commit?(outcomes: readonly SimpleOutcome[], messages: readonly Message[]): MaybePromise<void>
  /**
   * Sends messages. Nothing returned: all were taken; else one result per message.
   *
   * @throws for all of them: `error.retryable` decides; without it they stay with their source.
   */
  // biome-ignore-start lint/suspicious/noConfusingVoidType: a method without `return` is one of the forms
  sendBatch?(
    messages: readonly Message[],
    signal: AbortSignal,
  ): MaybePromise<readonly SimpleResult[] | null | undefined | void>
  // biome-ignore-end lint/suspicious/noConfusingVoidType: until here
  /** Asked for when the route ends: write what is held back. */
  flush?(): MaybePromise<void>
  close?(): MaybePromise<void>
  /** Shown in the status of the route. */
  status?(): Partial<EndpointStatus>
}

/** Makes the endpoint for a route, each time that it is opened. `config` is what stands under its key. */
export type SimpleEndpointFactory<C = unknown> = (
  routeName: string,
  config: C,
) => MaybePromise<SimpleEndpoint>

export interface SimpleCapabilities {
  /** Input: `commit` makes a nacked message come again. Output: what `sendBatch` took is safe. Default: output only. */
  readonly acks?: boolean
  /** Input: a commit implies everything before it. Output: sends must not overlap. Default: false. */
  readonly ordered?: boolean
  /** Input: somebody waits for an answer. Output: it answers every message. Default: an output may answer. */
  readonly replies?: boolean
}

export interface SimpleOptions<C = unknown> {
  /** One line, for tables. */
  readonly summary?: string
  /** Checks the configuration before anything opens. Without it the value is handed over as written. */
  readonly configSchema?: ConfigSchema<C>
}

export interface SimpleEndpointOptions<C = unknown> extends SimpleOptions<C> {
  readonly capabilities?: SimpleCapabilities
}

/**
 * What a simple middleware makes of a message: a message, or payload bytes, payload text or any other value as JSON
 * text, under the id and metadata of the message; or `null`, which drops it.
 */
export type SimpleSlot = unknown

/** A middleware as an object with one or two methods. A side without its method passes messages through. */
export interface SimpleMiddleware {
  /** One slot per message, in their order. */
  onReceive?(messages: readonly Message[]): MaybePromise<readonly SimpleSlot[]>
  /** One slot per message, in their order. */
  onSend?(messages: readonly Message[]): MaybePromise<readonly SimpleSlot[]>
  close?(): MaybePromise<void>
}

/** Makes the middleware, once per start of a route. */
export type SimpleMiddlewareFactory<C = unknown> = (
  routeName: string,
  config: C,
) => MaybePromise<SimpleMiddleware>
