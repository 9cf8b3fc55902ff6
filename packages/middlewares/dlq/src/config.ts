import { endpoint } from '@mqb/core/config'
import * as z from 'zod'

export const dlqConfig = z.strictObject({
  endpoint: endpoint('output').meta({
    description: 'Where dead letters go: any output endpoint, with middlewares of its own if need be.',
    examples: [{ file: { path: 'dead-letters.jsonl' } }],
  }),
})

export type DlqConfig = z.output<typeof dlqConfig>

declare module '@mqb/core' {
  interface MiddlewareConfigs {
    readonly dlq: z.input<typeof dlqConfig>
  }
}
