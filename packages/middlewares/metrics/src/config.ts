import * as z from 'zod'

export const metricsConfig = z.strictObject({})

export type MetricsConfig = z.output<typeof metricsConfig>
