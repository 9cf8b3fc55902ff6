import type { Consumer, Opening, PrepareContext, Publisher } from '@mqb/core'
import { defaultRetention, type MemoryConfig, redelivers, transportOf } from './config.ts'
import { memoryError } from './errors.ts'
import { resolveAddress } from './ipc/address.ts'
import { IpcListener } from './ipc/listener.ts'
import { IpcPublisher } from './ipc/publisher.ts'
import { QueueConsumer } from './queue/consumer.ts'
import { QueuePublisher } from './queue/publisher.ts'
import { RequestPublisher } from './queue/request-publisher.ts'
import { TemplatedPublisher } from './queue/templated-publisher.ts'
import { StoreConsumer } from './store/consumer.ts'
import { StorePublisher } from './store/publisher.ts'
import { findTopic, hold, openEventLog, openQueue, plannedMode, planTopic } from './topics.ts'

/** What it is, as logs and status show it. */
export function describe(config: MemoryConfig): string {
  const text = (config.topic ?? config.url)!
  const transport = transportOf(config)
  if (transport.kind === 'process') return `memory ${transport.name}`
  return `memory ${text.prefix}`
}

/** Checks that the topic suits the side, and notes which topics are event stores before anything opens. */
export function prepare(config: MemoryConfig, context: PrepareContext): void {
  const topic = (config.topic ?? config.url)!
  const transport = transportOf(config)
  if (!topic.isConstant) {
    if (context.side === 'output') return
    throw memoryError(
      'MQB_MEMORY_TOPIC_TEMPLATE',
      `an input has no message that could fill the tokens of ${topic.source}`,
      { where: context.path },
    )
  }
  if (transport.kind !== 'process') {
    resolveAddress(transport, context.side === 'input' ? 'consumer' : 'publisher')
  } else if (config.subscribe_mode) planTopic(transport.name, 'event_store')
  else if (context.side === 'input') planTopic(transport.name, 'queue')
}

export async function openConsumer(config: MemoryConfig, opening: Opening): Promise<Consumer> {
  const transport = transportOf(config)
  const target = describe(config)
  const redeliver = redelivers(config)
  if (transport.kind !== 'process') {
    const address = resolveAddress(transport, 'consumer')
    const topic = openQueue(`ipc:${address.path}`, config.capacity)
    const release = hold(topic)
    try {
      const listener = await IpcListener.open(address, topic.channel, opening.log)
      return new QueueConsumer({
        topic,
        target,
        redeliver,
        redeliverAt: 'front',
        opening,
        details: () => ({ socket: address.path, connections: listener.connectionCount }),
        release: async () => {
          await listener.close()
          warnAboutRest(topic.channel.length, target, opening)
          release()
        },
      })
    } catch (error) {
      release()
      throw error
    }
  }
  if (config.subscribe_mode) {
    const log = openEventLog(transport.name, config.retention ?? defaultRetention)
    return new StoreConsumer({
      log,
      subscriberId: `${transport.name}-consumer:${opening.path}`,
      target,
      positionLost: config.position_lost,
      opening,
      release: hold(log),
    })
  }
  const topic = openQueue(transport.name, config.capacity)
  return new QueueConsumer({
    topic,
    target,
    redeliver,
    redeliverAt: 'back',
    opening,
    release: hold(topic),
  })
}

export async function openPublisher(config: MemoryConfig, opening: Opening): Promise<Publisher> {
  const transport = transportOf(config)
  if (transport.kind !== 'process') {
    return IpcPublisher.open(resolveAddress(transport, 'publisher'), describe(config), opening)
  }
  const topic = (config.topic ?? config.url)!
  if (topic.isConstant) return openProcessPublisher(transport.name, config, opening)
  const scheme = /^memory:(\/\/)?/i.exec(topic.source)?.[0].length ?? 0
  return new TemplatedPublisher({
    topic,
    target: describe(config),
    opening,
    open: name => openProcessPublisher(name.slice(scheme), config, opening),
  })
}

/** An output without `subscribe_mode` sends to whatever the topic is, or will be by the configuration of all routes. */
function openProcessPublisher(name: string, config: MemoryConfig, opening: Opening): Publisher {
  const target = `memory ${name}`
  const existing = findTopic(name)?.mode ?? plannedMode(name)
  if (config.subscribe_mode || existing === 'event_store') {
    const log = openEventLog(name, config.retention ?? defaultRetention)
    return new StorePublisher({ log, target, opening, release: hold(log) })
  }
  const topic = openQueue(name, config.capacity)
  const options = { topic, target, release: hold(topic) }
  return config.request_reply
    ? new RequestPublisher({ ...options, timeoutMs: config.request_timeout_ms, clock: opening.clock })
    : new QueuePublisher(options)
}

function warnAboutRest(batches: number, target: string, opening: Opening): void {
  if (batches === 0) return
  opening.log.warn(
    `${target}: ${batches} batches were received and not processed; they wait in this process and are lost when it ends`,
    { code: 'MQB_MEMORY_IPC_UNPROCESSED', batches },
  )
}
