import type { Message } from '../message/message.ts'
import type { Outcomes } from './outcome.ts'
import type { PackedMessages } from './packed.ts'
import type { EndpointStatus } from './status.ts'

/** The code behind an output. */
export interface Publisher {
  /**
   * Hands messages to the sink and says what became of each, by position.
   *
   * Calls overlap up to the concurrency of the route, unless the capability `orderedPublish` is `serial` (never) or
   * `pipelined` (started in order, may overlap). An ordered publisher that fails message i writes nothing after i
   * in that call and reports everything after i as `retryable`; where i is `permanent` it goes on.
   *
   * @param signal the hard deadline, not the stop. When it aborts, the answer is ignored and the messages count as
   *   returned; a publisher must survive a next `send` while the aborted one still runs.
   * @throws whatever went wrong for all of them; a throw that is no `MqbError` counts as `retryable`.
   */
  send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes>
  /**
   * `send` for messages that nobody has made objects of, under the same rules. Optional: left out by publishers that
   * look at messages, and by everything that is wrapped around one.
   *
   * @returns `undefined`, at once and without having done anything, when they can not be taken in this form: `send` follows.
   */
  sendPacked?(packed: PackedMessages, signal: AbortSignal): Promise<Outcomes> | undefined
  /**
   * Asks every layer to stop holding messages back, because somebody waits for them. What is sent within a moment after
   * it need not wait for company either. It is no barrier: it says nothing about other sends and waits for none.
   */
  flush(): Promise<void>
  /** Last known state. Synchronous, never throws, never asks the sink. */
  status(): EndpointStatus
  /** As `Consumer.close`. Afterwards `send` rejects with kind `connection`, code `MQB_CLOSED`. */
  close(): Promise<void>
}
