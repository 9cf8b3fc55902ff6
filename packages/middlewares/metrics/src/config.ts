import * as z from 'zod'

export const metricsConfig = z.strictObject({})

export type MetricsConfig = z.output<typeof metricsConfig>

declare module '@mqb/core' {
  interface MiddlewareConfigs {
    readonly metrics: z.input<typeof metricsConfig>
  }
}
