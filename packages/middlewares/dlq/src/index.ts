import { type Capabilities, defineMiddleware, definePlugin } from '@mqb/core'
import { type DlqConfig, dlqConfig } from './config.ts'
import { dlqPublisher } from './dlq.ts'

export { type DlqConfig, dlqConfig } from './config.ts'
export { errorCodes } from './errors.ts'

export default definePlugin({
  name: '@mqb/dlq',
  middlewares: {
    dlq: defineMiddleware<DlqConfig>({
      summary: 'Keeps messages that can never be delivered in another endpoint, with the reason.',
      config: dlqConfig,
      examples: [
        {
          title: 'A file of JSON lines',
          side: 'output',
          config: { endpoint: { file: { path: 'dead-letters.jsonl' } } },
        },
      ],
      changes: (capabilities, { endpoint }) => joinCapabilities(capabilities, endpoint.capabilities),
      prepare({ endpoint }, { warn }) {
        if (endpoint.capabilities.lacks.includes('metadata'))
          warn(
            `the dead-letter endpoint ${endpoint.target} keeps payloads only: the reason and the metadata of a message are lost`,
            'choose a format with metadata, such as normal or json of the file endpoint',
          )
        if (!endpoint.capabilities.acks)
          warn(
            `the dead-letter endpoint ${endpoint.target} does not confirm what it takes: a dead letter can be lost`,
            'choose an endpoint that acknowledges',
          )
      },
      wrapPublisher: dlqPublisher,
    }),
  },
})

function joinCapabilities(output: Capabilities, letters: Capabilities): Capabilities {
  return {
    ...output,
    acks: output.acks && letters.acks,
    // The reply to a dead letter goes to whoever asked.
    replies: output.replies === 'no' && letters.replies !== 'no' ? 'depends' : output.replies,
    // A dead letter says where its message came from.
    needsPosition: true,
  }
}
