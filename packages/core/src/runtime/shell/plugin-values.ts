import type { Batch, Consumer } from '../../contract/consumer.ts'
import type { PackedMessages } from '../../contract/packed.ts'
import type { Publisher } from '../../contract/publisher.ts'
import { MqbError } from '../../errors/mqb-error.ts'
import { Message } from '../../message/message.ts'
import { HandedBatch } from './handed-batch.ts'

// Plugins need not be written in TypeScript: what they hand over is looked at where it comes in, or a mistake of theirs
// would show up far away, as a route that neither moves nor ends.

const consumerMethods = ['receive', 'pin', 'status', 'close'] as const
const publisherMethods = ['send', 'flush', 'status', 'close'] as const

/** @throws {MqbError} kind `permanent`: what was opened is no consumer. */
export function checkedConsumer(value: Consumer, where: string): Consumer {
  return withMethods(value, consumerMethods, 'an input', where)
}

/** @throws {MqbError} kind `permanent`: what was opened is no publisher. */
export function checkedPublisher(value: Publisher, where: string): Publisher {
  return withMethods(value, publisherMethods, 'an output', where)
}

/** @throws {TypeError} what a receive brought is no batch of messages. */
export function checkedBatch(value: Batch): Batch {
  // Looked at before the shell made it, and by far the most frequent.
  if (value instanceof HandedBatch) return value
  const { packed, commit }: Partial<Batch> = value ?? {}
  if (typeof commit !== 'function')
    throw new TypeError('receive answered with something that is no batch: it has no commit')
  if (packed !== undefined) assertPacked(packed)
  else assertMessages(value.messages)
  return value
}

function assertMessages(messages: Batch['messages'] | undefined): void {
  if (!Array.isArray(messages))
    throw new TypeError('receive answered with something that is no batch: it has no messages')
  for (let index = 0; index < messages.length; index++)
    if (!Message.is(messages[index])) throw new TypeError(`position ${index} of a batch holds no Message`)
}

function assertPacked({ count, byteLength, runs }: PackedMessages): void {
  if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(byteLength) || !Array.isArray(runs))
    throw new TypeError('receive answered with a packed batch without count, byteLength or runs')
}

function withMethods<T>(value: T, names: readonly string[], what: string, where: string): T {
  const methods = (value ?? {}) as Readonly<Record<string, unknown>>
  const missing = names.filter(name => typeof methods[name] !== 'function')
  if (missing.length === 0) return value
  throw new MqbError({
    kind: 'permanent',
    code: 'MQB_UNEXPECTED',
    where,
    what: `the plugin opened ${what} without ${missing.join(', ')}`,
    mend: 'report it to the makers of the plugin',
  })
}
