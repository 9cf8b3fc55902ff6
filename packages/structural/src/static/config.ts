import { template } from '@mqb/core/config'
import * as z from 'zod'

const staticFields = z.strictObject({
  body: template().meta({
    description:
      'The payload, with tokens such as ${payload:id}, ${metadata:key}, ${message:id}, ${gen:now} and ${env:NAME}. A token without a value is empty.',
    examples: ['{"status":"ok"}', 'order ${payload:id} taken'],
  }),
  raw: z.boolean().default(false).meta({
    description: 'Sends the body as it is. Without it the body is sent as a JSON text in quotes.',
  }),
  metadata: z
    .record(z.string(), z.string())
    .default({})
    .meta({
      description:
        'Metadata of the message. With a JSON content-type, values of tokens in a raw body are escaped for JSON, unless the token ends in "| raw".',
      examples: [{ 'content-type': 'application/json' }],
    }),
})

export const staticConfig = z.union([template(), staticFields])

export type StaticConfig = z.output<typeof staticConfig>
export type StaticFields = z.output<typeof staticFields>

declare module '@mqb/core' {
  interface EndpointConfigs {
    readonly static: z.input<typeof staticConfig>
  }
}

/** The long form of either. */
export function staticFieldsOf(config: StaticConfig): StaticFields {
  return 'body' in config ? config : { body: config, raw: false, metadata: {} }
}
