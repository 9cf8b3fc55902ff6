import {
  ALL_ACKED,
  closedError,
  defineEndpoint,
  type EndpointStatus,
  type Message,
  noCapabilities,
  type Outcomes,
  type Publisher,
} from '@mqb/core'
import * as z from 'zod'

export const nullConfig = z.null().optional().meta({ description: 'Nothing: the value stays empty.' })

/** Discards what it gets, and says so by an ack. */
export class NullPublisher implements Publisher {
  private discarded = 0
  private closed = false

  async send(messages: readonly Message[]): Promise<Outcomes> {
    if (this.closed) throw closedError()
    this.discarded += messages.length
    return ALL_ACKED
  }

  flush(): Promise<void> {
    return Promise.resolve()
  }

  status(): EndpointStatus {
    return { healthy: !this.closed, target: 'null', details: { discarded: this.discarded } }
  }

  close(): Promise<void> {
    this.closed = true
    return Promise.resolve()
  }
}

export const nullEndpoint = defineEndpoint({
  summary: 'Discards every message; the output of a route that names none.',
  config: nullConfig,
  examples: [{ title: 'discard', side: 'output', config: null }],
  structural: true,
  describe: () => 'null',
  // Nothing that could be kept is lost on the way: all of it is discarded, and in order.
  capabilities: () => ({ ...noCapabilities, acks: true, orderedPublish: 'pipelined' }),
  openPublisher: async () => new NullPublisher(),
})
