import { ALL_ACKED, ack, EndOfStream, failure, MqbError, repeat } from '@mqb/core'
import { payloadTexts, slabMessages } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { evenOnes, filteredInput, limit, live, numbers } from './world.ts'

const lost = new MqbError({ kind: 'connection', code: 'MQB_LOST', what: 'reset' })
const numbersOf = (batch: { messages: Parameters<typeof payloadTexts>[0] }): number[] =>
  payloadTexts(batch.messages).map(text => (JSON.parse(text) as { n: number }).n)

describe('filter on an input', () => {
  it('hands out what is kept, and acks the rest as filtered with its batch', async () => {
    const { consumer, inner, opening } = await filteredInput(evenOnes, [numbers(1, 5)])
    const batch = await consumer.receive(limit(100), live)
    expect(numbersOf(batch)).toEqual([2, 4])
    const failed = failure(lost)
    await batch.commit([ack(), failed])
    expect(inner.commits.map(commit => commit.outcomes)).toEqual([
      [ack('filtered'), ack(), ack('filtered'), failed, ack('filtered')],
    ])
    expect(opening.counted).toEqual({ filtered: 3 })
  })

  it('hands a batch of which everything is kept on as it is', async () => {
    const { consumer, inner } = await filteredInput('true', [['a', 'b']])
    const batch = await consumer.receive(limit(2), live)
    expect(batch.messages).toBe(inner.batches[0])
    await batch.commit(ALL_ACKED)
    expect(inner.commits[0]?.outcomes).toBe(ALL_ACKED)
  })

  it('hands out messages themselves, so that runs of them stay in one slab', async () => {
    const messages = slabMessages(...numbers(1, 6))
    const { consumer } = await filteredInput('n > 2 and n < 6', [messages])
    const batch = await consumer.receive(limit(100), live)
    expect(batch.messages).toEqual(messages.slice(2, 5))
    batch.messages.forEach((message, index) => {
      expect(message).toBe(messages[index + 2])
    })
  })

  it('commits a batch of which nothing is kept without waiting for it, and receives again', async () => {
    let release = (): void => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const { consumer, inner } = await filteredInput(evenOnes, [['{"n":1}'], ['{"n":2}']], {
      onCommit: () => held,
    })
    expect(numbersOf(await consumer.receive(limit(100), live))).toEqual([2])
    expect(inner.commits.map(commit => commit.outcomes)).toEqual([repeat(ack('filtered'), 1)])
    release()
  })

  it('tells a commit that failed at the next receive', async () => {
    const { consumer } = await filteredInput(evenOnes, [['{"n":1}'], ['{"n":2}'], ['{"n":4}']], {
      onCommit(_, index) {
        if (index === 0) throw lost
      },
    })
    expect(numbersOf(await consumer.receive(limit(100), live))).toEqual([2])
    await expect(consumer.receive(limit(100), live)).rejects.toBe(lost)
    expect(numbersOf(await consumer.receive(limit(100), live))).toEqual([4])
  })

  it('hands on an empty batch, and asks for nothing more after it', async () => {
    const { consumer, inner } = await filteredInput(evenOnes, [[], ['{"n":2}']])
    expect((await consumer.receive(limit(100), live)).messages).toEqual([])
    expect(inner.receives).toHaveLength(1)
  })

  it('holds back commits of batches without end where those before them wait', async () => {
    const script = Array.from({ length: 1000 }, (_, index) => [`{"n":${2 * index + 1}}`])
    const stop = new AbortController()
    const { consumer, inner } = await filteredInput(evenOnes, script, {
      onCommit: () => new Promise(() => {}),
    })
    const receiving = consumer.receive(limit(1), stop.signal)
    while (inner.batches.length < 256) await new Promise(resolve => setImmediate(resolve))
    stop.abort(new Error('stop'))
    await expect(receiving).rejects.toThrow('stop')
    expect(inner.batches).toHaveLength(256)
  })
})

describe('filling up a full batch that was thinned out', () => {
  it('reads on until there are as many messages as were asked for', async () => {
    const { consumer, inner, clock } = await filteredInput(evenOnes, [numbers(1, 100)])
    const batch = await consumer.receive(limit(8), live)
    expect(numbersOf(batch)).toEqual([2, 4, 6, 8, 10, 12, 14, 16])
    expect(inner.receives.map(each => each.messages)).toEqual([8, 4, 2, 1, 1])
    expect(clock.pending).toBe(0)
    await batch.commit(ALL_ACKED)
    expect(inner.commits.flatMap(commit => commit.messages)).toHaveLength(16)
  })

  it('commits each source batch once, with the outcomes of its own messages', async () => {
    const { consumer, inner } = await filteredInput(evenOnes, [numbers(1, 4), numbers(5, 6)])
    const batch = await consumer.receive(limit(4), live)
    expect(numbersOf(batch)).toEqual([2, 4, 6])
    const failed = failure(lost)
    await batch.commit([ack(), failed, ack('handled')])
    expect(inner.commits.map(commit => commit.outcomes)).toEqual([
      [ack('filtered'), ack(), ack('filtered'), failed],
      [ack('filtered'), ack('handled')],
    ])
  })

  it('stops at a source batch with fewer messages than were asked for', async () => {
    const { consumer, inner } = await filteredInput(evenOnes, [numbers(1, 4), ['{"n":5}'], numbers(6, 9)])
    expect(numbersOf(await consumer.receive(limit(4), live))).toEqual([2, 4])
    expect(inner.receives.map(each => each.messages)).toEqual([4, 2])
    expect(inner.commits.map(commit => commit.outcomes)).toEqual([[ack('filtered')]])
  })

  it('does not begin after a batch that was short already', async () => {
    const { consumer, inner } = await filteredInput(evenOnes, [numbers(1, 3), numbers(4, 9)])
    expect(numbersOf(await consumer.receive(limit(4), live))).toEqual([2])
    expect(inner.receives).toHaveLength(1)
  })

  it('hands out what is kept when nothing more comes for a while, and loses nothing', async () => {
    const { consumer, clock } = await filteredInput(evenOnes, [
      numbers(1, 4),
      { afterMs: 1000, step: numbers(5, 8) },
    ])
    const receiving = consumer.receive(limit(4), live)
    await clock.advance(199)
    expect(clock.pending).toBeGreaterThan(0)
    await clock.advance(1)
    expect(numbersOf(await receiving)).toEqual([2, 4])
    const next = consumer.receive(limit(4), live)
    await clock.advance(2000)
    expect(numbersOf(await next)).toEqual([6, 8])
  })

  it('hands out what is kept when the caller stops waiting', async () => {
    const stop = new AbortController()
    const { consumer, inner, clock } = await filteredInput(evenOnes, [numbers(1, 4), 'wait'])
    const receiving = consumer.receive(limit(4), stop.signal)
    while (inner.receives.length < 2) await new Promise(resolve => setImmediate(resolve))
    stop.abort(new Error('stop'))
    expect(numbersOf(await receiving)).toEqual([2, 4])
    expect(clock.pending).toBe(0)
  })

  it('counts the bytes of the source, also of what is left out', async () => {
    const { consumer, inner } = await filteredInput(evenOnes, [numbers(1, 9)])
    const batch = await consumer.receive(limit(4, 29), live)
    expect(numbersOf(batch)).toEqual([2, 4])
    expect(inner.receives).toEqual([
      { messages: 4, bytes: 29 },
      { messages: 2, bytes: 1 },
    ])
  })

  it('keeps an error or the end that it meets for the next receive', async () => {
    const { consumer } = await filteredInput(evenOnes, [
      numbers(1, 4),
      { throws: lost },
      numbers(5, 8),
      'end',
    ])
    expect(numbersOf(await consumer.receive(limit(4), live))).toEqual([2, 4])
    await expect(consumer.receive(limit(4), live)).rejects.toBe(lost)
    expect(numbersOf(await consumer.receive(limit(4), live))).toEqual([6, 8])
    await expect(consumer.receive(limit(4), live)).rejects.toSatisfy(EndOfStream.is)
  })

  it('hands out what came before a message that cannot be judged, and then fails', async () => {
    const { consumer, inner } = await filteredInput(evenOnes, [numbers(1, 4), ['{"n":6}', 'no JSON']])
    const batch = await consumer.receive(limit(4), live)
    expect(numbersOf(batch)).toEqual([2, 4])
    await batch.commit(ALL_ACKED)
    await expect(consumer.receive(limit(4), live)).rejects.toMatchObject({ kind: 'permanent' })
    expect(inner.commits).toHaveLength(1)
  })

  it('gives the event loop its turns while nothing is kept', async () => {
    let receives = 0
    const { consumer, inner } = await filteredInput(evenOnes, [])
    const message = slabMessages('{"n":1}')
    inner.receive = async () => {
      receives++
      return { messages: message, commit: async () => {} }
    }
    const stop = new AbortController()
    setTimeout(() => stop.abort(new Error('stop')), 20)
    await expect(consumer.receive(limit(1), stop.signal)).rejects.toThrow('stop')
    expect(receives).toBeGreaterThan(1)
  })
})

describe('messages that cannot be judged, on an input', () => {
  it.each(['', 'no JSON', '[1]', 'null', '7', '{"n":1'])('fail their batch for good: %s', async bad => {
    const { consumer, inner } = await filteredInput('n > 1', [['{"n":2}', bad]])
    await expect(consumer.receive(limit(100), live)).rejects.toMatchObject({
      kind: 'permanent',
      code: 'MQB_EXPRESSION_PAYLOAD',
      where: 'orders.input.middlewares[0].filter',
    })
    expect(inner.commits).toEqual([])
  })

  it('fail their batch for good where the result is neither true nor false', async () => {
    const { consumer } = await filteredInput('n + 1', [['{"n":2}']])
    await expect(consumer.receive(limit(100), live)).rejects.toMatchObject({ code: 'MQB_EXPRESSION_VALUE' })
  })

  it('are left out alone with on_error: drop, and told once', async () => {
    const { consumer, inner, opening } = await filteredInput({ expression: 'n > 1', on_error: 'drop' }, [
      ['{"n":2}', 'no JSON', '[1]', '', '{"n":1', '{"n":3}', '{"n":1}'],
    ])
    const batch = await consumer.receive(limit(100), live)
    expect(numbersOf(batch)).toEqual([2, 3])
    await batch.commit(ALL_ACKED)
    expect(inner.commits[0]?.outcomes).toEqual([ack(), ...repeat(ack('filtered'), 4), ack(), ack('filtered')])
    expect(opening.counted).toEqual({ filtered: 5, unreadable: 4 })
    expect(opening.log.find('warn')).toHaveLength(1)
    expect(opening.log.find('warn')[0]?.fields).toMatchObject({ code: 'MQB_FILTER_UNREADABLE' })
  })
})
