import { milliseconds, template } from '@mqb/core/config'
import * as z from 'zod'
import { parseTransport, type Transport } from './transport.ts'

const retentionConfig = z
  .strictObject({
    max_count: z.int().positive().default(100_000).meta({
      description: 'Most events that are kept; the oldest go first, read or not.',
    }),
    max_age_ms: z.int().positive().default(86_400_000).meta({
      description: 'Events that are older go at the next cleaning, read or not.',
    }),
    subscriber_timeout_ms: z.int().positive().default(300_000).meta({
      description: 'A subscriber that was silent for so long no longer keeps events from being dropped.',
    }),
    gc_interval_ms: z.int().nonnegative().default(1000).meta({
      description: 'Least time between two cleanings.',
    }),
  })
  .meta({ description: 'What an event store keeps. Fixed by whoever creates the topic first.' })

export const memoryConfig = z
  .strictObject({
    topic: template()
      .optional()
      .meta({
        description:
          'Name of a topic in this process, or the address of a socket between processes. An output may use tokens in a name.',
        examples: ['orders', 'memory://orders', 'ipc://orders', 'unix:///run/app/orders.sock'],
        uri: 'url',
      }),
    url: template()
      .optional()
      .meta({
        description: 'Another name of `topic`.',
        examples: ['memory://orders'],
      }),
    capacity: z.int().positive().max(1_000_000).default(100).meta({
      description:
        'How many batches the topic holds before a send waits. Fixed by whoever creates the topic first; with a socket it bounds the buffer of the consumer.',
    }),
    subscribe_mode: z.boolean().default(false).meta({
      description: 'Every subscriber gets every message, from an event store, instead of sharing a queue.',
    }),
    request_reply: z.boolean().default(false).meta({
      description: 'Waits for the reply to each message and hands it back to the caller.',
      side: 'output',
    }),
    request_timeout_ms: milliseconds(1).default(30_000).meta({
      description: 'How long a request waits for its reply, waiting for a place in the topic included.',
      side: 'output',
    }),
    enable_nack: z.boolean().optional().meta({
      description:
        'Puts messages that failed for now back into the topic. Without it they are gone. Default: false in the process, true with a socket.',
      side: 'input',
    }),
    position_lost: z.enum(['fail', 'earliest', 'latest', 'nearest']).default('fail').meta({
      description: 'What a subscriber does when events were dropped before it read them.',
      side: 'input',
    }),
    retention: retentionConfig.optional(),
  })
  .check(context => {
    const { topic, url, subscribe_mode, request_reply } = context.value
    const report = (path: string, message: string): void => {
      context.issues.push({ code: 'custom', path: [path], message, input: context.value })
    }
    if ((topic === undefined) === (url === undefined)) {
      report('topic', topic === undefined ? 'expected a topic' : 'expected `topic` or `url`, got both')
      return
    }
    const field = topic === undefined ? 'url' : 'topic'
    const text = (topic ?? url)!
    const transport = parseTransport(text.isConstant ? text.prefix : text.source)
    if (typeof transport === 'string') return report(field, transport)
    if (transport.kind === 'process') return
    if (!text.isConstant) report(field, 'the address of a socket takes no `${…}` tokens')
    if (subscribe_mode)
      report('subscribe_mode', 'a socket has no event store: `subscribe_mode` works within one process only')
    if (request_reply)
      report('request_reply', 'a socket goes one way: `request_reply` works within one process only')
  })

export type MemoryConfig = z.output<typeof memoryConfig>
export type Retention = z.output<typeof retentionConfig>

declare module '@mqb/core' {
  interface EndpointConfigs {
    readonly memory: z.input<typeof memoryConfig>
  }
}

export const defaultRetention: Retention = retentionConfig.parse({})

/** Where the topic of a checked configuration lives. */
export function transportOf(config: MemoryConfig): Transport {
  const text = (config.topic ?? config.url)!
  const transport = parseTransport(text.isConstant ? text.prefix : text.source)
  if (typeof transport === 'string') throw new TypeError(transport)
  return transport
}

/** Whether messages that failed for now go back into the topic. */
export function redelivers(config: MemoryConfig): boolean {
  return config.enable_nack ?? transportOf(config).kind !== 'process'
}
