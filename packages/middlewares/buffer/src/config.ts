import * as z from 'zod'

// The longest time that a timer of Node can wait.
const longestMs = 2_147_483_647

export const bufferConfig = z.strictObject({
  max_messages: z
    .int()
    .min(1)
    .meta({ description: 'A batch of this many messages goes on at once.', examples: [500] }),
  max_delay_ms: z
    .int()
    .min(0)
    .max(longestMs)
    .meta({
      description:
        'How long a message waits for others at most. 0 adds no wait: an output groups what arrives while a batch is in flight, an input takes what is there.',
      examples: [20],
    }),
})

export type BufferConfig = z.output<typeof bufferConfig>
