import { ALL_ACKED, Message, reply } from '@mqb/core'
import { createRegistry, planRoute } from '@mqb/core/config'
import { createTestOpening, numberedMessages } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import plugin from '../src/index.ts'
import { nullConfig, nullEndpoint } from '../src/null.ts'
import { responseEndpoint } from '../src/response.ts'

const never = new AbortController().signal

describe('null', () => {
  it('takes everything and counts it', async () => {
    const output = await nullEndpoint.openPublisher!(null, createTestOpening())
    expect(await output.send(numberedMessages(5), never)).toBe(ALL_ACKED)
    expect(output.status()).toMatchObject({ healthy: true, target: 'null', details: { discarded: 5 } })
    await output.close()
    await expect(output.send([], never)).rejects.toMatchObject({ code: 'MQB_CLOSED' })
  })

  it('is no input, and takes no configuration', () => {
    expect(plugin.endpoints?.null?.openConsumer).toBeUndefined()
    expect(nullConfig.safeParse(null).success).toBe(true)
    expect(nullConfig.safeParse({}).success).toBe(false)
  })
})

describe('response', () => {
  it('replies with each message, without the metadata of the hop', async () => {
    const output = await responseEndpoint.openPublisher!({}, createTestOpening())
    const message = new Message('a', { 'mqb.src.x': 'y', keep: 'z' })
    const outcomes = await output.send([message], never)
    expect(outcomes).toEqual([reply(expect.anything())])
    const [outcome] = outcomes as readonly { message: Message }[]
    expect(outcome?.message.metadata).toEqual({ keep: 'z' })
    expect(outcome?.message.id).toBe(message.id)
    expect(outcome?.message.payload).toBe(message.payload)
  })

  it('is refused on a route whose input has nobody who waits', () => {
    const registry = createRegistry({ plugins: [plugin] })
    expect(() => planRoute({ input: { static: 'x' }, output: { response: {} } }, 'r', registry)).toThrow(
      'MQB_CONFIG_NO_CALLER',
    )
  })
})
