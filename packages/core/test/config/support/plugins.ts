import * as z from 'zod'
import {
  createRegistry,
  endpoint,
  type KnownPart,
  type Registry,
  secret,
  template,
  tls,
} from '../../../src/config/index.ts'
import type { Capabilities, Plugin } from '../../../src/contract/index.ts'
import { defineEndpoint, defineMiddleware, definePlugin, noCapabilities } from '../../../src/define.ts'

const never = (): never => {
  throw new Error('nothing is opened in these tests')
}

const reliable: Capabilities = { ...noCapabilities, acks: true }

const natsConfig = z.strictObject({
  url: z
    .string()
    .min(1, 'expected at least one server')
    .meta({ description: 'Servers to try.', examples: ['nats://localhost:4222'], uri: 'origin' }),
  subject: z
    .string()
    .min(1)
    .meta({ description: 'Subject.', examples: ['orders.*'], uri: 'path' }),
  ack_wait_ms: z.int().positive().default(30_000).meta({ description: 'Wait.', side: 'input' }),
  stream: z.string().optional().meta({ description: 'Stream.' }),
  token: secret().optional().meta({ description: 'Token.' }),
  durable: z.string().optional().meta({ description: 'Name of the consumer.', defaultFrom: 'route' }),
  request_reply: z.boolean().default(false).meta({ description: 'Requests.', side: 'output' }),
  servers: z.array(z.string()).optional().meta({ description: 'More servers.' }),
  tls: tls().optional(),
})

const sqlConfig = z.strictObject({
  url: z
    .string()
    .min(1)
    .meta({ description: 'Connection URL.', examples: ['postgres://localhost/db'], uri: 'url' }),
  table: z
    .string()
    .optional()
    .meta({ description: 'Table.', examples: ['orders'] }),
  password: secret().optional().meta({ description: 'Password.' }),
  concurrency: z.int().min(1).optional().meta({ description: 'Connections.' }),
  columns: z.record(z.string(), z.string()).optional().meta({ description: 'Columns.' }),
})

const fileConfig = z.strictObject({
  path: z
    .string()
    .min(1)
    .meta({ description: 'Path.', examples: ['orders.jsonl'], uri: 'path' }),
  format: z.enum(['normal', 'raw', 'csv']).default('normal').meta({ description: 'Format.' }),
  headers: z.record(z.string(), z.string()).optional().meta({ description: 'Any texts.' }),
  delimiter: z.string().optional().meta({ description: 'Delimiter.' }),
  rotate: z
    .strictObject({ max_bytes: z.int().min(1).optional(), keep: z.int().min(0).optional() })
    .optional()
    .meta({ description: 'Rotation.' }),
})

const caller: Capabilities = { ...reliable, replies: 'yes' }

export const connectors: Plugin = definePlugin({
  name: '@test/connectors',
  endpoints: {
    nats: defineEndpoint({
      summary: 'Subjects.',
      config: natsConfig,
      examples: [
        { title: 'Subject', side: 'output', config: { url: 'nats://localhost:4222', subject: 'orders' } },
      ],
      describe: config => `nats ${config.subject}`,
      capabilities: config => ({ ...reliable, replies: config.request_reply ? 'yes' : 'no' }),
      openConsumer: never,
      openPublisher: never,
    }),
    sqlx: defineEndpoint({
      summary: 'Tables.',
      config: sqlConfig,
      examples: [
        { title: 'Table', side: 'output', config: { url: 'postgres://localhost/db', table: 'orders' } },
      ],
      describe: () => 'sql',
      capabilities: () => ({ ...reliable, replies: 'depends' }),
      openConsumer: never,
      openPublisher: never,
    }),
    file: defineEndpoint({
      summary: 'Files.',
      config: fileConfig,
      examples: [{ title: 'File', side: 'output', config: { path: 'out.jsonl' } }],
      describe: config => `file ${config.path}`,
      capabilities: () => reliable,
      openConsumer: never,
      openPublisher: never,
    }),
    http: defineEndpoint({
      summary: 'Requests.',
      config: z.strictObject({
        url: z.string().meta({ description: 'Address.', uri: 'url', examples: ['http://localhost:8080'] }),
        method: z.string().optional(),
        tls: tls().optional(),
      }),
      examples: [{ title: 'Server', side: 'input', config: { url: 'http://localhost:8080' } }],
      describe: () => 'http',
      capabilities: () => caller,
      openConsumer: never,
      openPublisher: never,
    }),
    memory: defineEndpoint({
      summary: 'Channels.',
      config: z.strictObject({
        topic: z
          .string()
          .min(1)
          .meta({ description: 'Channel.', uri: 'path', examples: ['orders'] }),
        capacity: z.int().min(1).default(100).meta({ description: 'Bound.' }),
      }),
      examples: [{ title: 'Channel', side: 'input', config: { topic: 'orders' } }],
      describe: config => `memory ${config.topic}`,
      capabilities: () => reliable,
      openConsumer: never,
      openPublisher: never,
    }),
  },
  schemes: {
    nats: { endpoint: 'nats' },
    postgres: { endpoint: 'sqlx' },
    file: { endpoint: 'file' },
    '-': { endpoint: 'file' },
    http: { endpoint: 'http' },
    https: { endpoint: 'http' },
    memory: { endpoint: 'memory' },
  },
})

export const structural: Plugin = definePlugin({
  name: '@test/structural',
  endpoints: {
    null: defineEndpoint({
      summary: 'Discards.',
      structural: true,
      config: z.strictObject({}),
      examples: [{ title: 'Discard', side: 'output', config: {} }],
      describe: () => 'null',
      capabilities: () => reliable,
      openPublisher: never,
    }),
    fanout: defineEndpoint({
      summary: 'All of a list.',
      structural: true,
      config: z.array(endpoint('output')).min(1),
      examples: [
        { title: 'Two', side: 'output', config: [{ memory: { topic: 'a' } }, { memory: { topic: 'b' } }] },
      ],
      describe: () => 'fanout',
      capabilities: () => reliable,
      openPublisher: never,
    }),
    response: defineEndpoint({
      summary: 'Answers.',
      structural: true,
      needsCaller: true,
      config: z.strictObject({}),
      examples: [{ title: 'Answer', side: 'output', config: {} }],
      describe: () => 'response',
      capabilities: () => caller,
      openPublisher: never,
    }),
    static: defineEndpoint({
      summary: 'A fixed message.',
      structural: true,
      config: z.union([
        z.string().transform(body => ({ body, raw: false, metadata: {} as Record<string, string> })),
        z.strictObject({
          body: z.string().meta({ description: 'Text.', examples: ['OK'] }),
          raw: z.boolean().default(false),
          metadata: z.record(z.string(), z.string()).default({}),
        }),
      ]),
      examples: [{ title: 'OK', side: 'output', config: 'OK' }],
      describe: () => 'static',
      capabilities: () => caller,
      openConsumer: never,
      openPublisher: never,
    }),
    request: defineEndpoint({
      summary: 'Calls.',
      structural: true,
      config: z.strictObject({
        to: endpoint('output', { mustAnswer: true }),
        forward_to: endpoint('output').optional(),
      }),
      examples: [
        {
          title: 'Call',
          side: 'output',
          config: { to: { static: 'OK' }, forward_to: { memory: { topic: 'a' } } },
        },
      ],
      describe: () => 'request',
      capabilities: () => reliable,
      openPublisher: never,
    }),
  },
})

export const middlewares: Plugin = definePlugin({
  name: '@test/middlewares',
  middlewares: {
    retry: defineMiddleware({
      summary: 'Tries again.',
      config: z.strictObject({
        max_attempts: z.int().min(1).default(3),
        multiplier: z.number().min(1).default(2),
      }),
      examples: [{ title: 'Three', side: 'output', config: { max_attempts: 3 } }],
      wrapPublisher: never,
    }),
    dlq: defineMiddleware({
      summary: 'Keeps what fails.',
      config: z.strictObject({ endpoint: endpoint('output') }),
      examples: [{ title: 'File', side: 'output', config: { endpoint: { file: { path: 'dead.jsonl' } } } }],
      wrapPublisher: never,
    }),
    metrics: defineMiddleware({
      summary: 'Counts.',
      config: z.strictObject({}),
      examples: [{ title: 'On', side: 'output', config: {} }],
      wrapConsumer: never,
      wrapPublisher: never,
    }),
    filter: defineMiddleware({
      summary: 'Keeps some.',
      config: z.union([
        z.string().transform(expression => ({ expression, on_error: 'fail' })),
        z.strictObject({ expression: z.string(), on_error: z.enum(['fail', 'drop']).default('fail') }),
      ]),
      examples: [{ title: 'Some', side: 'input', config: 'amount > 1' }],
      changes: capabilities => ({ ...capabilities, keepsAll: false }),
      wrapConsumer: never,
      wrapPublisher: never,
    }),
    deduplication: defineMiddleware({
      summary: 'Once.',
      config: z.strictObject({ ttl_seconds: z.int().min(1), key: template().optional() }),
      examples: [{ title: 'A day', side: 'input', config: { ttl_seconds: 86400 } }],
      wrapConsumer: never,
    }),
  },
})

export const known: readonly KnownPart[] = [
  { kind: 'endpoint', name: 'kafka', package: '@mqb/kafka', schemes: ['kafka'] },
  { kind: 'endpoint', name: 'switch', package: '@mqb/structural', schemes: ['switch'] },
  { kind: 'middleware', name: 'transform', package: '@mqb/transform' },
]

export function testRegistry(): Registry {
  return createRegistry({ plugins: [connectors, structural, middlewares], known })
}
