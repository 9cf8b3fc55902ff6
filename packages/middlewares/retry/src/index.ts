import { defineMiddleware, definePlugin } from '@mqb/core'
import { type RetryConfig, retryConfig } from './config.ts'
import { retryPublisher } from './retry.ts'

export { type RetryConfig, retryConfig } from './config.ts'
export { errorCodes } from './errors.ts'

export default definePlugin({
  name: '@mqb/retry',
  middlewares: {
    retry: defineMiddleware<RetryConfig>({
      summary: 'Sends again what failed for a while, with growing pauses.',
      config: retryConfig,
      examples: [
        {
          title: 'Five tries, at most ten seconds apart',
          side: 'output',
          config: { max_attempts: 5, initial_interval_ms: 200, max_interval_ms: 10_000, multiplier: 2 },
        },
      ],
      // A second send that was already under way would overtake the messages that are sent again.
      changes: capabilities =>
        capabilities.orderedPublish === 'pipelined'
          ? { ...capabilities, orderedPublish: 'serial' }
          : capabilities,
      prepare(config, { path, middlewares, enclosing, warn }) {
        // What a dead-letter endpoint of its own gives up on is not lost: its dlq hands it back to the source.
        const kept =
          middlewares.lastIndexOf('dlq') > middlewares.lastIndexOf('retry') ||
          enclosing.some(around => around.middlewares.includes('dlq')) ||
          /\.dlq\./.test(path)
        if (!kept)
          warn(
            `a message that still fails after ${config.max_attempts} tries is dropped`,
            'list a dlq after retry to keep it',
          )
      },
      wrapPublisher: retryPublisher,
    }),
  },
})
