import { milliseconds } from '@mqb/core/config'
import * as z from 'zod'

export const bufferConfig = z.strictObject({
  max_messages: z
    .int()
    .min(1)
    .meta({ description: 'A batch of this many messages goes on at once.', examples: [500] }),
  max_delay_ms: milliseconds(0).meta({
    description:
      'How long a message waits for others at most. 0 adds no wait: an output groups what arrives while a batch is in flight, an input takes what is there.',
    examples: [20],
  }),
})

export type BufferConfig = z.output<typeof bufferConfig>

declare module '@mqb/core' {
  interface MiddlewareConfigs {
    readonly buffer: z.input<typeof bufferConfig>
  }
}
