import { milliseconds } from '@mqb/core/config'
import * as z from 'zod'

export const retryConfig = z.strictObject({
  max_attempts: z
    .int()
    .min(1)
    .default(3)
    .meta({ description: 'How often a message is tried in all, the first time included.', examples: [5] }),
  initial_interval_ms: milliseconds(0)
    .default(100)
    .meta({ description: 'Pause before the second try.', examples: [200] }),
  max_interval_ms: milliseconds(0)
    .default(5000)
    .meta({ description: 'The longest pause between two tries.', examples: [10_000] }),
  multiplier: z
    .number()
    .min(1)
    .default(2)
    .meta({ description: 'What the pause is multiplied by after each further try.', examples: [2] }),
})

export type RetryConfig = z.output<typeof retryConfig>

declare module '@mqb/core' {
  interface MiddlewareConfigs {
    readonly retry: z.input<typeof retryConfig>
  }
}
