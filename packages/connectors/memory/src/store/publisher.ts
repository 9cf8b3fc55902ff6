import {
  ALL_ACKED,
  closedError,
  type EndpointStatus,
  type Message,
  type Opening,
  type Outcomes,
  type Publisher,
} from '@mqb/core'
import { topicClosedError } from '../errors.ts'
import { publishable } from '../publishable.ts'
import type { EventLog } from './log.ts'

export interface StorePublisherOptions {
  readonly log: EventLog
  readonly target: string
  readonly opening: Opening
  release(): void
}

/** Appends to an event store. Never waits: the store drops its oldest events instead. */
export class StorePublisher implements Publisher {
  private readonly options: StorePublisherOptions
  private closed = false

  constructor(options: StorePublisherOptions) {
    this.options = options
  }

  async send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    if (this.closed) throw closedError()
    signal.throwIfAborted()
    const { log, opening } = this.options
    if (log.closed) throw topicClosedError()
    log.append(publishable(messages), opening.clock.monotonic(), opening.log)
    return ALL_ACKED
  }

  flush(): Promise<void> {
    return Promise.resolve()
  }

  status(): EndpointStatus {
    const { log, target } = this.options
    return {
      healthy: !this.closed && !log.closed,
      target,
      details: { mode: 'event_store', head_offset: log.head, dropped: log.overflowed },
    }
  }

  close(): Promise<void> {
    if (!this.closed) {
      this.closed = true
      this.options.release()
    }
    return Promise.resolve()
  }
}
