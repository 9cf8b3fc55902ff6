import { ALL_ACKED, Message, MqbError } from '@mqb/core'
import { createTestOpening } from '@mqb/testkit'
import { memoryConfig } from '../../src/config.ts'
import { openConsumer, openPublisher } from '../../src/open.ts'

// Runs in a process of its own: `consume <topic>` or `publish <topic> <count> <batch size>`.
const [, , role, topic, ...rest] = process.argv
const never = new AbortController().signal

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

async function consume(): Promise<void> {
  const consumer = await openConsumer(memoryConfig.parse({ topic }), createTestOpening({ side: 'input' }))
  say('listening')
  for (;;) {
    const { messages, commit } = await consumer.receive({ messages: 10, bytes: 1 << 30 }, never)
    // Synchronous for a pipe: what is said was processed.
    say(messages.map(message => message.text()).join('\n'))
    await commit(ALL_ACKED)
  }
}

async function publish(): Promise<void> {
  const [count = 0, size = 1] = rest.map(Number)
  const publisher = await openWhenThere()
  for (let from = 0; from < count; from += size) {
    const messages = Array.from(
      { length: Math.min(size, count - from) },
      (_, index) => new Message(`${from + index}`),
    )
    await publisher.send(messages, never)
  }
  await publisher.close()
  say('sent')
}

async function openWhenThere() {
  for (;;) {
    try {
      return await openPublisher(memoryConfig.parse({ topic }), createTestOpening())
    } catch (error) {
      if (!MqbError.is(error) || error.kind !== 'connection') throw error
      say('no consumer yet')
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
}

await (role === 'consume' ? consume() : publish())
