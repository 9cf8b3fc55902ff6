import { ack, type Batch, MqbError } from '@mqb/core'
import { numberedMessages, scriptedConsumer } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { transformConsumer } from '../src/input.ts'
import { opening, transformerOf } from './support/transform.ts'

const limit = { messages: 100, bytes: 1e6 }
const nothingFits = { schema: { type: 'array' } }

describe('batches of which nothing is left', () => {
  it('are committed as dropped without being waited for, and their failure comes from the next receive', async () => {
    const lost = new MqbError({ kind: 'connection', code: 'MQB_LOST', what: 'gone' })
    const inner = scriptedConsumer([numberedMessages(2), numberedMessages(2)], {
      afterwards: 'wait',
      onCommit() {
        throw lost
      },
    })
    const consumer = transformConsumer(inner, transformerOf(nothingFits), opening)
    await expect(consumer.receive(limit, new AbortController().signal)).rejects.toBe(lost)
    expect(inner.commits[0]!.outcomes).toEqual([ack('dropped'), ack('dropped')])
  })

  it('do not pile up while commits wait, and a stop is heard meanwhile', async () => {
    const stop = new AbortController()
    let received = 0
    const endless = {
      ...scriptedConsumer([]),
      receive: async (): Promise<Batch> => {
        received++
        return { messages: numberedMessages(1), commit: () => new Promise<void>(() => {}) }
      },
    }
    const consumer = transformConsumer(endless, transformerOf(nothingFits), opening)
    const receiving = consumer.receive(limit, stop.signal)
    setImmediate(function wait() {
      if (received < 64) setImmediate(wait)
      else stop.abort(new Error('stop'))
    })
    await expect(receiving).rejects.toThrow('stop')
    expect(received).toBe(64)
  })

  it('do not keep a batch from being handed out in part', async () => {
    const inner = scriptedConsumer([['{"n":1}', '[2]', '3']], { afterwards: 'wait' })
    const consumer = transformConsumer(inner, transformerOf(nothingFits), opening)
    const batch = await consumer.receive(limit, new AbortController().signal)
    expect(batch.messages.map(message => message.text())).toEqual(['[2]'])
    await batch.commit([ack('delivered')])
    expect(inner.commits[0]!.outcomes).toEqual([ack('dropped'), ack('delivered'), ack('dropped')])
  })
})
