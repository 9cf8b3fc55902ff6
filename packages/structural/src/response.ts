import {
  closedError,
  defineEndpoint,
  type EndpointStatus,
  type Message,
  noCapabilities,
  type Outcomes,
  type Publisher,
  publishableMetadata,
  reply,
} from '@mqb/core'
import * as z from 'zod'

export const responseConfig = z.strictObject({})

/** Sends every message back to whoever asked for it. */
class ResponsePublisher implements Publisher {
  private closed = false

  async send(messages: readonly Message[]): Promise<Outcomes> {
    if (this.closed) throw closedError()
    return messages.map(message => reply(message.withPairs(publishableMetadata(message.metadataPairs))))
  }

  flush(): Promise<void> {
    return Promise.resolve()
  }

  status(): EndpointStatus {
    return { healthy: !this.closed, target: 'response' }
  }

  close(): Promise<void> {
    this.closed = true
    return Promise.resolve()
  }
}

export const responseEndpoint = defineEndpoint({
  summary: 'Replies with the message to the origin of the request.',
  config: responseConfig,
  examples: [{ title: 'reply', side: 'output', config: {} }],
  structural: true,
  needsCaller: true,
  describe: () => 'response',
  capabilities: () => ({ ...noCapabilities, acks: true, replies: 'yes' }),
  openPublisher: async () => new ResponsePublisher(),
})
