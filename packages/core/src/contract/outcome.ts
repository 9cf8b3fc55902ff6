import type { MqbError } from '../errors/mqb-error.ts'
import type { Message } from '../message/message.ts'
import type { ALL_ACKED } from '../outcome/all-acked.ts'

/** Why a message needs nothing more. Each has a counter of its own in the balance of a route. */
export type AckReason =
  /** The output took it. */
  | 'delivered'
  /** The handler dealt with it and published nothing. */
  | 'handled'
  /** A condition kept it out: `filter`, or a `switch` without a matching case. */
  | 'filtered'
  /** Its key was seen before. */
  | 'duplicate'
  /** It went into a joined message that was delivered. */
  | 'joined'
  /** A dead-letter endpoint took it. */
  | 'dead_lettered'
  /** It could not be processed on an input that is told to drop such messages. */
  | 'dropped'

/** What became of one message. A publisher answers with it, a consumer is told it. */
export type Outcome =
  /** Done, nothing to say. */
  | { readonly kind: 'ack'; readonly as: AckReason }
  /** Done, and this goes to whoever asked. Settles like an ack. It carries the id of the request. */
  | { readonly kind: 'reply'; readonly message: Message }
  /**
   * Not done. `error.kind` says what follows: `permanent` is logged, counted and settled; `retryable` and
   * `connection` leave the message with its source. `message` is the message as it was where it failed,
   * absent when it is still the one that was handed in.
   */
  | { readonly kind: 'failure'; readonly error: MqbError; readonly message?: Message }

/** Outcomes by position: as many as the batch has messages. `ALL_ACKED` stands for `delivered` at every position. */
export type Outcomes = typeof ALL_ACKED | readonly Outcome[]
