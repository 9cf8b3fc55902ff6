import { defineEndpoint, noCapabilities, publishableMetadata, reply } from '@mqb/core'
import * as z from 'zod'
import { terminalPublisher } from './terminal.ts'

export const responseEndpoint = defineEndpoint({
  summary: 'Replies with the message to the origin of the request.',
  config: z.strictObject({}),
  examples: [{ title: 'reply', side: 'output', config: {} }],
  structural: true,
  needsCaller: true,
  describe: () => 'response',
  capabilities: () => ({ ...noCapabilities, acks: true, replies: 'yes' }),
  openPublisher: async () =>
    terminalPublisher({
      target: 'response',
      answer: messages =>
        messages.map(message => reply(message.withPairs(publishableMetadata(message.metadataPairs)))),
    }),
})
