import type { Retention } from './config.ts'
import { memoryError } from './errors.ts'
import { QueueTopic } from './queue/topic.ts'
import { EventLog } from './store/log.ts'

export type Topic = QueueTopic | EventLog

interface Space {
  readonly topics: Map<string, Topic>
  /** What the configuration of all routes says about topics that nobody has opened yet. */
  readonly planned: Map<string, Topic['mode']>
}

// One namespace per process, also when two copies of this package are loaded.
const slot: unique symbol = Symbol.for('mqb.memory.topics.1') as never
const holder = globalThis as { [slot]?: Space }
holder[slot] ??= { topics: new Map(), planned: new Map() }
const { topics, planned }: Space = holder[slot]

/** The topic of that name, if somebody made it. */
export function findTopic(key: string): Topic | undefined {
  return topics.get(key)
}

/** Every topic that is held at the moment, by name. */
export function heldTopics(): readonly string[] {
  return [...topics.keys()]
}

/** Says before anything opens that a topic will be of this kind: an output that opens first then makes the right one. */
export function planTopic(key: string, mode: Topic['mode']): void {
  planned.set(key, mode)
}

export function plannedMode(key: string): Topic['mode'] | undefined {
  return planned.get(key)
}

/**
 * The queue of that name, made when it is missing. Count the user with `hold`.
 *
 * @throws {MqbError} kind `config` when the topic is an event store.
 */
export function openQueue(key: string, capacity: number): QueueTopic {
  const topic = topics.get(key) ?? remember(new QueueTopic(key, capacity))
  if (topic.mode === 'queue') return topic
  throw memoryError(
    'MQB_MEMORY_TOPIC_MODE',
    `the topic ${key} is an event store, and this endpoint would take messages out of a queue`,
  )
}

/**
 * The event store of that name, made when it is missing.
 *
 * @throws {MqbError} kind `config` when the topic is a queue.
 */
export function openEventLog(key: string, retention: Retention): EventLog {
  const topic = topics.get(key) ?? remember(new EventLog(key, retention))
  if (topic.mode === 'event_store') return topic
  throw memoryError(
    'MQB_MEMORY_TOPIC_MODE',
    `the topic ${key} is a queue, and this endpoint has subscribe_mode: another one opened it first without`,
  )
}

/** Counts a user. The function that comes back, called once, lets go. */
export function hold(topic: Topic): () => void {
  topic.users++
  return () => {
    topic.users--
    forgetIfUnused(topic)
  }
}

/** A topic that holds nothing and that nobody has open leaves no trace. */
export function forgetIfUnused(topic: Topic): void {
  if (topic.disposable && topics.get(topic.key) === topic) topics.delete(topic.key)
}

function remember<T extends Topic>(topic: T): T {
  topics.set(topic.key, topic)
  return topic
}
