import { ALL_ACKED, ack, EndOfStream, failure, MqbError, type ReceiveLimit } from '@mqb/core'
import { createFakeClock, type Delivery, payloadTexts, scriptedConsumer } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import type { BufferConfig } from '../src/config.ts'
import { bufferConsumer } from '../src/input.ts'

const live = new AbortController().signal
const limit: ReceiveLimit = { messages: 100, bytes: 1 << 20 }

function setup(script: readonly Delivery[], config: Partial<BufferConfig> = {}) {
  const clock = createFakeClock()
  const inner = scriptedConsumer(script, { clock })
  const buffer = bufferConsumer(inner, { max_messages: 4, max_delay_ms: 20, ...config }, clock)
  return { clock, inner, buffer }
}

describe('buffer on an input', () => {
  it('receives until the batch is full', async () => {
    const { buffer, inner, clock } = setup([['a'], ['b', 'c'], ['d', 'e']])
    expect(payloadTexts((await buffer.receive(limit, live)).messages)).toEqual(['a', 'b', 'c', 'd'])
    expect(inner.receives.map(each => each.messages)).toEqual([4, 3, 1])
    expect(clock.pending).toBe(0)
  })

  it('hands out what came until the delay was over, counted from the first message', async () => {
    const { buffer, inner, clock } = setup([
      { afterMs: 1000, step: ['a'] },
      { afterMs: 15, step: ['b'] },
      { afterMs: 15, step: ['c'] },
    ])
    const receiving = buffer.receive(limit, live)
    await clock.advance(1019)
    expect(clock.pending).toBeGreaterThan(0)
    await clock.advance(1)
    expect(payloadTexts((await receiving).messages)).toEqual(['a', 'b'])
    const next = buffer.receive(limit, live)
    await clock.advance(15)
    await clock.advance(20)
    expect(payloadTexts((await next).messages)).toEqual(['c'])
    expect(inner.batches.flat()).toHaveLength(3)
  })

  it('takes what is there without waiting with max_delay_ms 0', async () => {
    const { buffer, clock } = setup([['a'], ['b'], { afterMs: 1, step: ['c'] }], { max_delay_ms: 0 })
    const receiving = buffer.receive(limit, live)
    await clock.advance(0)
    expect(payloadTexts((await receiving).messages)).toEqual(['a', 'b'])
  })

  it('stops at an empty batch, which says that there is nothing for now', async () => {
    const { buffer, clock } = setup([['a'], [], ['b']])
    expect(payloadTexts((await buffer.receive(limit, live)).messages)).toEqual(['a'])
    expect(clock.pending).toBe(0)
  })

  it('hands an empty batch on', async () => {
    const { buffer } = setup([[]])
    expect((await buffer.receive(limit, live)).messages).toEqual([])
  })

  it('keeps to the limits of the caller', async () => {
    const { buffer, inner } = setup([['aaaa'], ['bbbb'], ['cccc']])
    const batch = await buffer.receive({ messages: 100, bytes: 8 }, live)
    expect(payloadTexts(batch.messages)).toEqual(['aaaa', 'bbbb'])
    expect(inner.receives.map(each => each.bytes)).toEqual([8, 4])
    expect((await buffer.receive({ messages: 0, bytes: 8 }, live)).messages).toEqual([])
    expect((await buffer.receive({ messages: 1, bytes: 8 }, live)).messages).toHaveLength(1)
  })

  it('commits each source batch once, with its own outcomes', async () => {
    const { buffer, inner } = setup([
      ['a', 'b'],
      ['c', 'd'],
    ])
    const batch = await buffer.receive(limit, live)
    const failed = failure(new MqbError({ kind: 'retryable', code: 'X', what: 'x' }))
    await batch.commit([ack(), failed, ack('filtered'), ack()])
    expect(inner.commits.map(commit => [payloadTexts(commit.messages), commit.outcomes])).toEqual([
      [
        ['a', 'b'],
        [ack(), failed],
      ],
      [
        ['c', 'd'],
        [ack('filtered'), ack()],
      ],
    ])
    await expect(batch.commit([ack()])).rejects.toThrow(TypeError)
  })

  it('hands ALL_ACKED to each source batch', async () => {
    const { buffer, inner } = setup([
      ['a', 'b'],
      ['c', 'd'],
    ])
    await (await buffer.receive(limit, live)).commit(ALL_ACKED)
    expect(inner.commits.map(commit => commit.outcomes)).toEqual([ALL_ACKED, ALL_ACKED])
  })

  it('keeps an error or the end that it met after messages for the next receive', async () => {
    const lost = new MqbError({ kind: 'connection', code: 'MQB_LOST', what: 'reset' })
    const { buffer } = setup([['a'], { throws: lost }, ['b'], 'end', ['c', 'd', 'e', 'f']])
    expect(payloadTexts((await buffer.receive(limit, live)).messages)).toEqual(['a'])
    await expect(buffer.receive(limit, live)).rejects.toBe(lost)
    expect(payloadTexts((await buffer.receive(limit, live)).messages)).toEqual(['b'])
    await expect(buffer.receive(limit, live)).rejects.toSatisfy(EndOfStream.is)
    expect((await buffer.receive(limit, live)).messages).toHaveLength(4)
  })

  it('hands on an error of the first receive at once', async () => {
    const { buffer, clock } = setup(['end'])
    await expect(buffer.receive(limit, live)).rejects.toSatisfy(EndOfStream.is)
    expect(clock.pending).toBe(0)
  })
})

describe('buffer on an input at a stop', () => {
  it('hands out a half-filled batch at once and waits for no timer', async () => {
    const { buffer, clock } = setup([['a'], 'wait'], { max_messages: 10_000, max_delay_ms: 1_800_000 })
    const stop = new AbortController()
    const receiving = buffer.receive(limit, stop.signal)
    await clock.waitForTimers()
    stop.abort(new Error('stop'))
    expect(payloadTexts((await receiving).messages)).toEqual(['a'])
    expect(clock.pending).toBe(0)
  })

  it('rejects with the reason when nothing was taken', async () => {
    const { buffer } = setup(['wait'])
    const stop = new AbortController()
    const receiving = buffer.receive(limit, stop.signal)
    const reason = new Error('stop')
    stop.abort(reason)
    await expect(receiving).rejects.toBe(reason)
  })

  it('loses nothing of what came while it was told to stop', async () => {
    const { buffer, clock, inner } = setup([['a'], { afterMs: 5, step: ['b'] }])
    const stop = new AbortController()
    const receiving = buffer.receive(limit, stop.signal)
    await clock.waitForTimers(2)
    stop.abort(new Error('stop'))
    expect(payloadTexts((await receiving).messages)).toEqual(['a'])
    const next = buffer.receive(limit, live)
    await clock.advance(5)
    expect(payloadTexts((await next).messages)).toEqual(['b'])
    expect(inner.batches.flat()).toHaveLength(2)
  })

  it('rejects as closed after close, whatever it had kept', async () => {
    const { buffer } = setup([['a'], { throws: new Error('bug') }])
    await buffer.receive(limit, live)
    await buffer.close()
    await expect(buffer.receive(limit, live)).rejects.toMatchObject({ code: 'MQB_CLOSED' })
  })
})
