import type { Message } from '../message/message.ts'
import type { Outcomes } from './outcome.ts'
import type { PackedMessages } from './packed.ts'
import type { EndpointStatus } from './status.ts'

/** How much one `receive` may hand out. */
export interface ReceiveLimit {
  /** At most this many messages; 0 asks for an empty batch without touching the source. */
  readonly messages: number
  /** Filling stops after the message that crosses this many payload bytes; one larger message still comes, alone. */
  readonly bytes: number
}

/** A batch on loan from a consumer, and the one way to give it back. */
export interface Batch {
  /** In the order in which the source handed them over; empty means "nothing for now". Never changed in place. */
  readonly messages: readonly Message[]
  /**
   * The same messages as they lie in memory, where a source has them like that. Whoever has no use for the messages
   * themselves leaves `messages` alone then: they are only made when somebody asks. A wrapped batch leaves this out.
   */
  readonly packed?: PackedMessages | undefined
  /**
   * Tells the source what became of each message. Called at most once; an abandoned batch gets no call, an empty
   * one needs none. May overlap `receive` and other commits, except where the capability `commitOrder` is
   * `ordered`: then commits come one at a time, in the order of the receives. An ordered consumer moves its position over
   * the leading run of settled outcomes. After an unsettled one it need not go back by itself (unless the capability
   * `rewinds` says so): it is closed and opened again, and begins at that message.
   *
   * @param outcomes `ALL_ACKED`, or one per message in the order of `messages`.
   * @throws {TypeError} the number of outcomes is not the number of messages.
   * @throws {MqbError} kind `connection` when it is not sure that the source knows: it will redeliver, do not
   *   count these messages as done, do not call again.
   */
  commit(outcomes: Outcomes): Promise<void>
}

/** The code behind an input. */
export interface Consumer {
  /**
   * Waits for the first message, then takes what is there without waiting more. Calls never overlap.
   *
   * An empty batch is allowed at any time. With `drain` it is due within `drainIdleMs` of silence, at once where
   * the source knows its end. An error or the end that is met after messages were taken is kept for the next call.
   *
   * @param signal means "stop waiting": the call rejects with `signal.reason` and no message is lost, it stays for
   *   the next receive or goes back to the source at `close`.
   * @throws {EndOfStream} the source has ended; another `receive` may follow.
   * @throws {Gap} the position asked for is gone.
   * @throws {MqbError} `connection` (reopen me), `permanent` (never again), `retryable` (call again later).
   */
  receive(limit: ReceiveLimit, signal: AbortSignal): Promise<Batch>
  /** Makes the source keep everything from now on, without reading. Does nothing where nothing can be pinned. */
  pin(): Promise<void>
  /** Last known state. Synchronous, never throws, never asks the source. */
  status(): EndpointStatus
  /**
   * Releases everything within 5 s. May come early and twice, never throws, does not wait for batches that are not
   * committed: they go back to the source. Afterwards `receive` and `commit` reject with kind `connection`, code
   * `MQB_CLOSED`, and acknowledge nothing.
   */
  close(): Promise<void>
}
