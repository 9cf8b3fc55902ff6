import {
  type Capabilities,
  type Consumer,
  definePlugin,
  type EndpointDefinition,
  Message,
  noCapabilities,
  type Opening,
  type Plugin,
  type Publisher,
} from '@mqb/core'
import type { ConnectorSuiteOptions } from '../connector/options.ts'
import { createReferenceChannel, type ReferenceChannel } from './channel.ts'
import { createReferenceConsumer, referencePositionKey } from './consumer.ts'
import { createReferencePublisher } from './publisher.ts'

/** The configuration of the endpoint `reference`. */
export interface ReferenceConfig {
  /** Ends with the same name share a channel. */
  readonly channel: string
  /** How commits of the input apply. Default `any`. */
  readonly order?: 'any' | 'ordered'
  /** How sends to the output keep their order. Default `pipelined`. */
  readonly publish?: 'no' | 'serial' | 'pipelined'
  /** The sender waits for the outcome that the consumer commits. Default `false`. */
  readonly replies?: boolean
  /** Larger payloads fail for good. Default: no bound. */
  readonly max_payload_bytes?: number
  /** A payload with this text fails for now. Default: none does. */
  readonly refuse?: string
  /** A message that is sent twice is stored once. Default `false`. */
  readonly idempotent?: boolean
}

/** Replaces an end of the reference connector by another one; the faulty connectors are made so. */
export interface ReferenceChanges {
  consumer?(inner: Consumer, context: ReferenceContext): Consumer
  publisher?(inner: Publisher, context: ReferenceContext): Publisher
  /** Runs before an end is opened. */
  opening?(opening: Opening): void | Promise<void>
}

export interface ReferenceContext {
  readonly config: ReferenceConfig
  readonly channel: ReferenceChannel
  readonly opening: Opening
}

/** A correct connector in memory, and a way to look into its channels. */
export interface ReferenceConnector {
  readonly plugin: Plugin
  channel(name: string): ReferenceChannel
  /** What `testConnector` takes to test it in this form. */
  suite(config?: Omit<ReferenceConfig, 'channel'>): ConnectorSuiteOptions
  /** Two ends of a new channel, with raw access. */
  provision(config?: Omit<ReferenceConfig, 'channel'>): {
    readonly input: ReferenceConfig
    readonly output: ReferenceConfig
    feed(messages: readonly Message[]): Promise<void>
    readBack(): Promise<readonly Message[]>
    poison?: () => Message
    cutConnection(): Promise<void>
    restartServer(): Promise<void>
  }
}

/** Channels belong to the connector that is returned: two connectors share nothing. */
export function createReferenceConnector(changes: ReferenceChanges = {}): ReferenceConnector {
  const channels = new Map<string, ReferenceChannel>()
  let provisioned = 0

  function channel(name: string): ReferenceChannel {
    let found = channels.get(name)
    if (found === undefined) {
      found = createReferenceChannel()
      channels.set(name, found)
    }
    return found
  }

  const endpoint: EndpointDefinition<ReferenceConfig> = {
    summary: 'A queue in memory, made for tests.',
    config: { type: 'object', required: ['channel'] },
    examples: [
      { title: 'A queue', side: 'input', config: { channel: 'orders' } },
      { title: 'A queue', side: 'output', config: { channel: 'orders' } },
    ],
    describe: config => `reference ${config.channel}`,
    capabilities: referenceCapabilities,
    async openConsumer(config, opening) {
      await changes.opening?.(opening)
      const context = { config, channel: channel(config.channel), opening }
      const consumer = createReferenceConsumer(context.channel, config.order ?? 'any', opening)
      return changes.consumer?.(consumer, context) ?? consumer
    },
    async openPublisher(config, opening) {
      await changes.opening?.(opening)
      const context = { config, channel: channel(config.channel), opening }
      const publisher = createReferencePublisher(context.channel, {
        waitsForAnswers: config.replies === true,
        maxPayloadBytes: config.max_payload_bytes ?? null,
        refuse: config.refuse,
        ordered: (config.publish ?? 'pipelined') !== 'no',
        idempotent: config.idempotent === true,
      })
      return changes.publisher?.(publisher, context) ?? publisher
    },
  }

  const plugin = definePlugin({
    name: 'mqb-reference',
    endpoints: { reference: endpoint as EndpointDefinition },
  })
  const connector: ReferenceConnector = {
    plugin,
    channel,
    suite: (config = {}) => ({
      plugin,
      endpoint: 'reference',
      sample: { input: { ...config, channel: 'sample' }, output: { ...config, channel: 'sample' } },
      hooks: [
        ...(['feed', 'readBack', 'cutConnection', 'restartServer'] as const),
        ...(config.refuse === undefined ? [] : (['poison'] as const)),
      ],
      provision: () => connector.provision(config),
    }),
    provision(config = {}) {
      const end = { ...config, channel: `channel-${provisioned++}` }
      return {
        input: end,
        output: end,
        async feed(messages) {
          for (const message of messages) channel(end.channel).store(message)
        },
        async readBack() {
          return channel(end.channel).stored.map(entry => entry.message)
        },
        ...(config.refuse === undefined ? {} : { poison: () => Message.fromJson({ n: config.refuse }) }),
        async cutConnection() {
          channel(end.channel).cut()
        },
        // The messages live in the channel, so that a restart keeps them and loses the connections.
        async restartServer() {
          channel(end.channel).cut()
        },
      }
    },
  }
  return connector
}

function referenceCapabilities(config: ReferenceConfig, side: 'input' | 'output'): Capabilities {
  const ordered = config.order === 'ordered'
  const replies = config.replies === true ? 'yes' : 'no'
  return side === 'input'
    ? {
        ...noCapabilities,
        acks: true,
        commitOrder: ordered ? 'ordered' : 'any',
        replies,
        position: { keys: [referencePositionKey], replayable: ordered },
        stableId: true,
      }
    : {
        ...noCapabilities,
        acks: true,
        replies,
        orderedPublish: config.publish ?? 'pipelined',
        idempotent: config.idempotent === true ? 'by_id' : 'no',
        maxPayloadBytes: config.max_payload_bytes ?? null,
      }
}
