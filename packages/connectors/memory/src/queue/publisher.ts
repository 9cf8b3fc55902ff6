import {
  ALL_ACKED,
  closedError,
  type EndpointStatus,
  type Message,
  type Outcomes,
  type Publisher,
} from '@mqb/core'
import { publishable } from '../publishable.ts'
import { Waits } from '../waiting.ts'
import type { QueueTopic } from './topic.ts'

export interface QueuePublisherOptions {
  readonly topic: QueueTopic
  readonly target: string
  /** Called once at close. */
  release(): void
}

/** Sends into a queue: acked when the channel has taken the batch. */
export class QueuePublisher implements Publisher {
  protected readonly topic: QueueTopic
  protected readonly waits: Waits = new Waits()
  private readonly options: QueuePublisherOptions
  private closed = false

  constructor(options: QueuePublisherOptions) {
    this.options = options
    this.topic = options.topic
  }

  async send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    this.assertOpen()
    signal.throwIfAborted()
    if (messages.length === 0) return ALL_ACKED
    const batch = publishable(messages)
    const { channel } = this.topic
    if (!channel.tryPut(batch)) await this.waits.run(signal, inner => channel.put(batch, inner))
    return ALL_ACKED
  }

  flush(): Promise<void> {
    return Promise.resolve()
  }

  status(): EndpointStatus {
    const { channel } = this.topic
    return {
      healthy: !this.closed && !channel.closed,
      target: this.options.target,
      pending: channel.length,
      capacity: channel.capacity,
    }
  }

  close(): Promise<void> {
    if (!this.closed) {
      this.closed = true
      this.waits.interrupt(closedError())
      this.options.release()
    }
    return Promise.resolve()
  }

  protected assertOpen(): void {
    if (this.closed) throw closedError()
  }
}
