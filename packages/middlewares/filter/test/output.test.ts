import { ack, failure, Message, MqbError, outcomeList, reply } from '@mqb/core'
import {
  createTestOpening,
  type PublisherScript,
  payloadTexts,
  scriptedPublisher,
  textMessages,
} from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { filterFieldsOf } from '../src/config.ts'
import type { FilterConfig } from '../src/index.ts'
import { definition, evenOnes, live, numbers } from './world.ts'

async function filteredOutput(config: FilterConfig, script: PublisherScript = []) {
  const opening = createTestOpening({ path: 'orders.output.middlewares[0].filter' })
  const inner = scriptedPublisher(script)
  const publisher = await definition.wrapPublisher!(inner, filterFieldsOf(config), opening)
  return { opening, inner, publisher }
}

describe('filter on an output', () => {
  it('sends what is kept and puts the outcomes back to their positions', async () => {
    const { publisher, inner } = await filteredOutput(evenOnes, [
      'ack',
      'retryable',
      { reply: 'r' },
      'permanent',
    ])
    const outcomes = await publisher.send(textMessages(...numbers(1, 9)), live)
    expect(payloadTexts(inner.calls[0]!)).toEqual(['{"n":2}', '{"n":4}', '{"n":6}', '{"n":8}'])
    const left = ack('filtered')
    expect(outcomes).toMatchObject([
      left,
      ack(),
      left,
      { kind: 'failure', error: { kind: 'retryable' } },
      left,
      reply(expect.anything()),
      left,
      { kind: 'failure', error: { kind: 'permanent' } },
      left,
    ])
  })

  it('sends nothing where nothing is kept', async () => {
    const { publisher, inner, opening } = await filteredOutput('false')
    expect(await publisher.send(textMessages('a', 'b'), live)).toEqual([ack('filtered'), ack('filtered')])
    expect(inner.calls).toEqual([])
    expect(opening.counted).toEqual({ filtered: 2 })
  })

  it('hands a batch of which everything is kept on as it is', async () => {
    const { publisher, inner } = await filteredOutput('true')
    const messages = textMessages('a', 'b')
    expect(outcomeList(await publisher.send(messages, live), 2)).toEqual([ack(), ack()])
    expect(inner.calls).toEqual([messages])
  })

  it('hands on what the output throws', async () => {
    const gone = new MqbError({ kind: 'connection', code: 'MQB_GONE', what: 'reset' })
    const { publisher } = await filteredOutput(evenOnes, [{ throws: gone }])
    await expect(publisher.send(textMessages(...numbers(1, 2)), live)).rejects.toBe(gone)
  })

  it('fails all messages of a call for good where one cannot be judged, and sends none', async () => {
    const { publisher, inner } = await filteredOutput('n > 1')
    const outcomes = await publisher.send(textMessages('{"n":2}', 'no JSON', '{"n":3}'), live)
    expect(outcomes).toHaveLength(3)
    for (const outcome of outcomes as readonly { error: MqbError }[])
      expect(outcome).toMatchObject(failure(expect.objectContaining({ kind: 'permanent' }) as never))
    expect(inner.calls).toEqual([])
  })

  it('leaves out such a message alone with on_error: drop', async () => {
    const { publisher, inner, opening } = await filteredOutput({ expression: 'n > 1', on_error: 'drop' })
    const outcomes = await publisher.send([...textMessages('{"n":2}', 'no JSON'), new Message(null)], live)
    expect(outcomes).toEqual([ack(), ack('filtered'), ack('filtered')])
    expect(inner.delivered).toHaveLength(1)
    expect(opening.counted).toEqual({ filtered: 2, unreadable: 2 })
  })

  it('acknowledges nothing after the close', async () => {
    const { publisher } = await filteredOutput('false')
    await publisher.close()
    await expect(publisher.send(textMessages('a'), live)).rejects.toMatchObject({ code: 'MQB_CLOSED' })
  })
})
