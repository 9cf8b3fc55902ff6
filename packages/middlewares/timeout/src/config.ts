import * as z from 'zod'

// The longest time that a timer of Node can wait.
const longestMs = 2_147_483_647

export const timeoutConfig = z.strictObject({
  timeout_ms: z
    .int()
    .min(1)
    .max(longestMs)
    .meta({ description: 'How long one send may take.', examples: [30_000] }),
})

export type TimeoutConfig = z.output<typeof timeoutConfig>
