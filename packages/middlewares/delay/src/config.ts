import { milliseconds } from '@mqb/core/config'
import * as z from 'zod'

export const delayConfig = z.strictObject({
  delay_ms: milliseconds(0).meta({
    description: 'How long to wait before each receive or send.',
    examples: [100],
  }),
})

export type DelayConfig = z.output<typeof delayConfig>

declare module '@mqb/core' {
  interface MiddlewareConfigs {
    readonly delay: z.input<typeof delayConfig>
  }
}
