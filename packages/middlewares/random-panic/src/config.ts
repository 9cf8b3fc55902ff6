import * as z from 'zod'

export const randomPanicConfig = z.strictObject({
  mode: z
    .enum(['panic', 'disconnect', 'timeout', 'json_format_error', 'nack'])
    .default('panic')
    .meta({
      description:
        'The fault: a thrown error that is not one of mqb (panic), a lost connection (disconnect), no answer (timeout), bytes that are not JSON (json_format_error), or a refusal (nack).',
      examples: ['disconnect'],
    }),
  trigger_on_message: z
    .int()
    .min(1)
    .optional()
    .meta({
      description:
        'The message at which the fault happens, counted from 1 since the start of the route; it happens once. Left out: every time.',
      examples: [500],
    }),
  enabled: z
    .boolean()
    .default(true)
    .meta({ description: 'Switches the fault off without deleting the block.', examples: [false] }),
})

export type RandomPanicConfig = z.output<typeof randomPanicConfig>

declare module '@mqb/core' {
  interface MiddlewareConfigs {
    readonly random_panic: z.input<typeof randomPanicConfig>
  }
}
export type FaultMode = RandomPanicConfig['mode']
