import {
  createFakeClock,
  payloadTexts,
  scriptedConsumer,
  scriptedPublisher,
  textMessages,
} from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { delayConsumer, delayPublisher } from '../src/delay.ts'
import plugin, { delayConfig } from '../src/index.ts'

const live = new AbortController().signal
const limit = { messages: 100, bytes: 1 << 20 }

describe('delay', () => {
  it('waits before each send', async () => {
    const clock = createFakeClock()
    const inner = scriptedPublisher([], clock)
    const delay = delayPublisher(inner, { delay_ms: 100 }, clock)
    for (let send = 1; send <= 2; send++) {
      const sending = delay.send(textMessages('a', 'b'), live)
      await clock.advance(99)
      expect(inner.calls).toHaveLength(send - 1)
      await clock.advance(1)
      await sending
    }
    expect(inner.calls).toHaveLength(2)
  })

  it('waits side by side for sends that overlap, and keeps their order', async () => {
    const clock = createFakeClock()
    const inner = scriptedPublisher([], clock)
    const delay = delayPublisher(inner, { delay_ms: 100 }, clock)
    const sends = ['a', 'b', 'c'].map(text => delay.send(textMessages(text), live))
    await clock.advance(100)
    await Promise.all(sends)
    expect(payloadTexts(inner.calls.flat())).toEqual(['a', 'b', 'c'])
  })

  it('waits before each receive, also before an empty one', async () => {
    const clock = createFakeClock()
    const inner = scriptedConsumer([['a'], []], { clock })
    const delay = delayConsumer(inner, { delay_ms: 100 }, clock)
    for (const count of [1, 0]) {
      const receiving = delay.receive(limit, live)
      await clock.advance(100)
      expect((await receiving).messages).toHaveLength(count)
    }
  })

  it('stops waiting at once at a stop, with nothing taken', async () => {
    const clock = createFakeClock()
    const inner = scriptedConsumer([['a']], { clock })
    const delay = delayConsumer(inner, { delay_ms: 60_000 }, clock)
    const stop = new AbortController()
    const receiving = delay.receive(limit, stop.signal)
    stop.abort(new Error('stop'))
    await expect(receiving).rejects.toThrow('stop')
    expect(inner.receives).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it('gives up a send that has not begun when the deadline passes', async () => {
    const clock = createFakeClock()
    const inner = scriptedPublisher([], clock)
    const delay = delayPublisher(inner, { delay_ms: 60_000 }, clock)
    const deadline = new AbortController()
    const sending = delay.send(textMessages('a'), deadline.signal)
    deadline.abort(new Error('deadline'))
    await expect(sending).rejects.toThrow('deadline')
    expect(inner.calls).toEqual([])
  })

  it('does nothing with a delay of 0', () => {
    const clock = createFakeClock()
    const publisher = scriptedPublisher()
    const consumer = scriptedConsumer([])
    expect(delayPublisher(publisher, { delay_ms: 0 }, clock)).toBe(publisher)
    expect(delayConsumer(consumer, { delay_ms: 0 }, clock)).toBe(consumer)
  })

  it('takes whole milliseconds only', () => {
    for (const delay_ms of [-1, 0.5, 2_147_483_648, undefined])
      expect(delayConfig.safeParse({ delay_ms }).success).toBe(false)
    expect(plugin.middlewares!.delay!.examples).toHaveLength(2)
  })
})
