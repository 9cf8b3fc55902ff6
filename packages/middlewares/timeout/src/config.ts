import { milliseconds } from '@mqb/core/config'
import * as z from 'zod'

export const timeoutConfig = z.strictObject({
  timeout_ms: milliseconds(1).meta({ description: 'How long one send may take.', examples: [30_000] }),
})

export type TimeoutConfig = z.output<typeof timeoutConfig>

declare module '@mqb/core' {
  interface MiddlewareConfigs {
    readonly timeout: z.input<typeof timeoutConfig>
  }
}
