import {
  closedError,
  type EndpointStatus,
  type Message,
  type Outcomes,
  type Publisher,
  reply,
} from '@mqb/core'
import type { StaticContent } from './render.ts'

/** Answers every message with the fixed one, under the id of the message that asked. */
export class StaticPublisher implements Publisher {
  private readonly content: StaticContent
  private closed = false

  constructor(content: StaticContent) {
    this.content = content
  }

  async send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    if (this.closed) throw closedError()
    signal.throwIfAborted()
    return messages.map(message =>
      reply(message.derive(this.content.payload(message)).withPairs(this.content.metadata)),
    )
  }

  flush(): Promise<void> {
    return Promise.resolve()
  }

  status(): EndpointStatus {
    return { healthy: !this.closed, target: 'static' }
  }

  close(): Promise<void> {
    this.closed = true
    return Promise.resolve()
  }
}
