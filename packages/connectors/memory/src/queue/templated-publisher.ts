import {
  closedError,
  createTemplateScope,
  type EndpointStatus,
  failure,
  type Message,
  type Opening,
  type Outcome,
  type Outcomes,
  outcomeAt,
  type Publisher,
  type Template,
} from '@mqb/core'
import { memoryError } from '../errors.ts'

/** Most topics that are open at once; the one that was used longest ago closes, what it holds stays in it. */
const maxOpenTopics = 64

export interface TemplatedPublisherOptions {
  readonly topic: Template
  readonly target: string
  readonly opening: Opening
  open(name: string): Publisher
}

/** Sends each message to the topic that it names itself; messages of one topic keep their order. */
export class TemplatedPublisher implements Publisher {
  private readonly options: TemplatedPublisherOptions
  private readonly scope: ReturnType<typeof createTemplateScope>
  private readonly open = new Map<string, { publisher: Publisher; sending: number }>()
  private closed = false

  constructor(options: TemplatedPublisherOptions) {
    this.options = options
    this.scope = createTemplateScope(options.opening.clock)
  }

  async send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    if (this.closed) throw closedError()
    const outcomes: Outcome[] = new Array(messages.length)
    const byTopic = new Map<string, number[]>()
    for (const [index, message] of messages.entries()) {
      const name = this.options.topic.render(message, this.scope)
      if (name === undefined || name === '') outcomes[index] = failure(this.unresolved(message))
      else {
        const indexes = byTopic.get(name)
        if (indexes === undefined) byTopic.set(name, [index])
        else indexes.push(index)
      }
    }
    await Promise.all(
      [...byTopic].map(async ([name, indexes]) => {
        const part = await this.sendTo(
          name,
          indexes.map(index => messages[index]!),
          signal,
        )
        for (const [position, index] of indexes.entries()) outcomes[index] = outcomeAt(part, position)
      }),
    )
    return outcomes
  }

  async flush(): Promise<void> {
    for (const { publisher } of this.open.values()) await publisher.flush()
  }

  status(): EndpointStatus {
    return {
      healthy: !this.closed,
      target: this.options.target,
      details: { open_topics: this.open.size },
    }
  }

  async close(): Promise<void> {
    this.closed = true
    for (const { publisher } of this.open.values()) await publisher.close()
    this.open.clear()
  }

  private async sendTo(name: string, messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    const entry = this.open.get(name) ?? { publisher: this.options.open(name), sending: 0 }
    // Last in the map is used last.
    this.open.delete(name)
    this.open.set(name, entry)
    entry.sending++
    try {
      return await entry.publisher.send(messages, signal)
    } finally {
      entry.sending--
      await this.closeOldest()
    }
  }

  private async closeOldest(): Promise<void> {
    for (const [name, { publisher, sending }] of this.open) {
      if (this.open.size <= maxOpenTopics) return
      if (sending > 0) continue
      this.open.delete(name)
      await publisher.close()
    }
  }

  private unresolved(message: Message) {
    const token = this.options.topic.unresolved(message)
    return memoryError(
      'MQB_MEMORY_TOPIC_UNRESOLVED',
      token === undefined ? 'the topic is empty' : `the topic has no value for ${token}`,
    )
  }
}
