import { expression } from '@mqb/core/expression'
import * as z from 'zod'

const condition = () => expression({ purpose: 'predicate' })

const filterFields = z.strictObject({
  expression: condition().meta({
    expression: true,
    description:
      'A message is kept when it is true. Payload fields by name (order.status), metadata as meta.key, and / or or && / ||.',
    examples: ['amount > 100', 'order.status == "open" and meta.retry_count < 3'],
  }),
  on_error: z.enum(['fail', 'drop']).default('fail').meta({
    description:
      'What follows from a message that the expression cannot judge: a payload that is no JSON object, values that do not fit, a result that is neither true nor false. fail: its whole batch fails. drop: the message alone is left out.',
  }),
})

export const filterConfig = z.union([condition(), filterFields])

export type FilterConfig = z.output<typeof filterConfig>
export type FilterFields = z.output<typeof filterFields>

declare module '@mqb/core' {
  interface MiddlewareConfigs {
    readonly filter: z.input<typeof filterConfig>
  }
}

/** The long form of either. */
export function filterFieldsOf(config: FilterConfig): FilterFields {
  return typeof config === 'string' ? { expression: config, on_error: 'fail' } : config
}
