import { defineMiddleware, definePlugin } from '@mqb/core'
import { type DelayConfig, delayConfig } from './config.ts'
import { delayConsumer, delayPublisher } from './delay.ts'

export { type DelayConfig, delayConfig } from './config.ts'

export default definePlugin({
  name: '@mqb/delay',
  middlewares: {
    delay: defineMiddleware<DelayConfig>({
      summary: 'Waits a fixed time before each receive or send.',
      config: delayConfig,
      examples: [
        { title: 'A tenth of a second before each send', side: 'output', config: { delay_ms: 100 } },
        { title: 'A second between two receives', side: 'input', config: { delay_ms: 1000 } },
      ],
      wrapConsumer: (inner, config, { clock }) => delayConsumer(inner, config, clock),
      wrapPublisher: (inner, config, { clock }) => delayPublisher(inner, config, clock),
    }),
  },
})
