import { defineMiddleware, definePlugin } from '@mqb/core'
import { type TimeoutConfig, timeoutConfig } from './config.ts'
import { timeoutPublisher } from './timeout.ts'

export { type TimeoutConfig, timeoutConfig } from './config.ts'
export { errorCodes } from './errors.ts'

export default definePlugin({
  name: '@mqb/timeout',
  middlewares: {
    timeout: defineMiddleware<TimeoutConfig>({
      summary: 'Bounds how long a send may take.',
      config: timeoutConfig,
      examples: [{ title: 'Half a minute for each send', side: 'output', config: { timeout_ms: 30_000 } }],
      wrapPublisher: timeoutPublisher,
    }),
  },
})
