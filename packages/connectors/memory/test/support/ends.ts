import { setMaxListeners } from 'node:events'
import { type Batch, type Consumer, type Message, type Outcomes, type Publisher, toMqbError } from '@mqb/core'
import { createTestOpening, type TestOpening, type TestOpeningOptions } from '@mqb/testkit'
import { onTestFinished } from 'vitest'
import { memoryConfig } from '../../src/config.ts'
import { openConsumer, openPublisher } from '../../src/open.ts'

let topics = 0

/** A topic that no other test uses. */
export function freshTopic(): string {
  return `topic-${process.pid}-${++topics}`
}

export async function openInput(
  config: Record<string, unknown>,
  options: TestOpeningOptions = {},
): Promise<Consumer & { opening: TestOpening }> {
  const opening = createTestOpening({ side: 'input', ...options })
  const consumer = await openConsumer(memoryConfig.parse(config), opening)
  onTestFinished(() => consumer.close())
  return Object.assign(consumer, { opening })
}

export async function openOutput(
  config: Record<string, unknown>,
  options: TestOpeningOptions = {},
): Promise<Publisher & { opening: TestOpening }> {
  const opening = createTestOpening({ side: 'output', ...options })
  const publisher = await openPublisher(memoryConfig.parse(config), opening)
  onTestFinished(() => publisher.close())
  return Object.assign(publisher, { opening })
}

export const never: AbortSignal = new AbortController().signal
setMaxListeners(0, never)

export function receive(consumer: Consumer, messages = 1000, bytes = 1 << 30): Promise<Batch> {
  return consumer.receive({ messages, bytes }, never)
}

export function send(publisher: Publisher, messages: readonly Message[]): Promise<Outcomes> {
  return publisher.send(messages, never)
}

/** Receives and acks until so many messages are there. */
export async function collect(consumer: Consumer, count: number, perReceive = 1000): Promise<Message[]> {
  const messages: Message[] = []
  while (messages.length < count) {
    const batch = await receive(consumer, perReceive)
    messages.push(...batch.messages)
    if (batch.messages.length > 0)
      await batch.commit(batch.messages.map(() => ({ kind: 'ack', as: 'delivered' })))
  }
  return messages
}

/** What a promise rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it did not reject')
}

export async function codeOf(promise: Promise<unknown>): Promise<string> {
  return toMqbError(await rejection(promise), 'retryable').code
}

/** Lets everything run that is ready to. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>(resolve => setImmediate(resolve))
}

/** Waits on a condition. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 10_000
  while (!condition()) {
    if (Date.now() > end) throw new Error(`timed out: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}
