import * as z from 'zod'

export const limiterConfig = z.strictObject({
  messages_per_second: z
    .number()
    .positive()
    .meta({ description: 'The rate to hold, fractions included.', examples: [250] }),
})

export type LimiterConfig = z.output<typeof limiterConfig>

declare module '@mqb/core' {
  interface MiddlewareConfigs {
    readonly limiter: z.input<typeof limiterConfig>
  }
}
