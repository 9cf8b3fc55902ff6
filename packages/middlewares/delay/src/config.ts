import * as z from 'zod'

// The longest time that a timer of Node can wait.
const longestMs = 2_147_483_647

export const delayConfig = z.strictObject({
  delay_ms: z
    .int()
    .min(0)
    .max(longestMs)
    .meta({ description: 'How long to wait before each receive or send.', examples: [100] }),
})

export type DelayConfig = z.output<typeof delayConfig>
