import { defineMiddleware, definePlugin } from '@mqb/core'
import { type LimiterConfig, limiterConfig } from './config.ts'
import { limitConsumer, limitPublisher } from './limiter.ts'

export { type LimiterConfig, limiterConfig } from './config.ts'

export default definePlugin({
  name: '@mqb/limiter',
  middlewares: {
    limiter: defineMiddleware<LimiterConfig>({
      summary: 'Holds an endpoint to a number of messages per second.',
      config: limiterConfig,
      examples: [
        { title: 'At most 250 messages a second', side: 'output', config: { messages_per_second: 250 } },
        { title: 'One message every ten seconds', side: 'input', config: { messages_per_second: 0.1 } },
      ],
      wrapConsumer: (inner, config, { clock }) => limitConsumer(inner, config, clock),
      wrapPublisher: (inner, config, { clock }) => limitPublisher(inner, config, clock),
    }),
  },
})
