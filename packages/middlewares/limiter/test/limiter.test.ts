import type { Clock, ReceiveLimit } from '@mqb/core'
import {
  createFakeClock,
  type Delivery,
  payloadTexts,
  scriptedConsumer,
  scriptedPublisher,
  textMessages,
} from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import plugin, { limiterConfig } from '../src/index.ts'
import { limitConsumer, limitPublisher } from '../src/limiter.ts'

const live = new AbortController().signal
const limit: ReceiveLimit = { messages: 100, bytes: 1 << 20 }
const numbers = (count: number) => textMessages(...Array.from({ length: count }, (_, index) => String(index)))

function output(messages_per_second: number) {
  const clock = createFakeClock()
  const startedAt: number[] = []
  const inner = scriptedPublisher(() => {
    startedAt.push(clock.monotonic())
    return 'ack'
  }, clock)
  return { clock, inner, startedAt, limiter: limitPublisher(inner, { messages_per_second }, clock) }
}

function input(messages_per_second: number, script: readonly Delivery[]) {
  const clock = createFakeClock()
  const inner = scriptedConsumer(script, { clock })
  return { clock, inner, limiter: limitConsumer(inner, { messages_per_second }, clock) }
}

describe('limiter on an output', () => {
  it('starts the next send when the last one has used up its time, by its size', async () => {
    const { limiter, clock, inner } = output(100)
    await limiter.send(numbers(50), live)
    const second = limiter.send(numbers(1), live)
    await clock.advance(499)
    expect(inner.calls).toHaveLength(1)
    await clock.advance(1)
    await second
    const third = limiter.send(numbers(1), live)
    await clock.advance(10)
    await third
    expect(clock.monotonic()).toBe(510)
    expect(clock.pending).toBe(0)
  })

  it('does not save idle time up', async () => {
    const { limiter, clock } = output(100)
    await limiter.send(numbers(1), live)
    await clock.advance(60_000)
    await limiter.send(numbers(1), live)
    const next = limiter.send(numbers(1), live)
    await clock.waitForTimers()
    expect(clock.dueIn).toEqual([10])
    await clock.advance(10)
    await next
  })

  it('keeps the rate over many sends, although timers are late', async () => {
    const clock = createFakeClock()
    const late = {
      ...clock,
      sleep: async (ms: number, signal?: AbortSignal) => clock.sleep(ms + 3, signal),
    }
    const limiter = limitPublisher(scriptedPublisher([], clock), { messages_per_second: 100 }, late)
    let done = 0
    const run = async (): Promise<void> => {
      for (; done < 50; done++) await limiter.send(numbers(1), live)
    }
    const running = run()
    await clock.advance(493)
    await running
    expect(done).toBe(50)
  })

  it('lets sends that overlap start in their order, spaced by their size', async () => {
    const { limiter, clock, inner, startedAt } = output(1000)
    const sends = ['a', 'b', 'c', 'd'].map(text => limiter.send(textMessages(text, text), live))
    await clock.advance(6)
    await Promise.all(sends)
    expect(inner.calls.map(call => payloadTexts(call)[0])).toEqual(['a', 'b', 'c', 'd'])
    expect(startedAt).toEqual([0, 0, 2, 2, 4, 4, 6, 6])
  })

  it('ends a wait at the deadline without a cost for the others', async () => {
    const { limiter, clock, inner } = output(10)
    await limiter.send(numbers(1), live)
    const deadline = new AbortController()
    const given = [
      limiter.send(textMessages('given up'), deadline.signal),
      limiter.send(textMessages('next'), live),
    ]
    await clock.advance(50)
    deadline.abort(new Error('deadline'))
    await expect(given[0]).rejects.toThrow('deadline')
    await clock.advance(50)
    await given[1]
    expect(clock.monotonic()).toBe(100)
    expect(payloadTexts(inner.calls.at(-1)!)).toEqual(['next'])
  })

  it('gets a batch through that is given up and sent again, as behind a timeout', async () => {
    const { limiter, clock, inner } = output(1)
    await limiter.send(numbers(100), live)
    let tries = 0
    while (inner.calls.length === 1) {
      tries++
      const timeout = new AbortController()
      const sending = limiter.send(textMessages('again'), timeout.signal).catch(() => undefined)
      await clock.advance(30_000)
      timeout.abort(new Error('timeout'))
      await sending
    }
    expect(tries).toBe(4)
  })

  it('hands on what the output answers', async () => {
    const { limiter } = output(1000)
    expect(await limiter.send([], live)).toEqual([])
    await limiter.close()
    await expect(limiter.send(numbers(1), live)).rejects.toMatchObject({ code: 'MQB_CLOSED' })
  })
})

describe('calls that wait for the limiter', () => {
  it('are not overtaken by one that comes when their time is over and they have not woken yet', async () => {
    let nowMs = 0
    const waking: (() => void)[] = []
    const clock: Clock = {
      now: () => nowMs,
      monotonic: () => nowMs,
      sleep: () => new Promise(resolve => waking.push(resolve)),
      timer: () => () => {},
    }
    const inner = scriptedPublisher()
    const limiter = limitPublisher(inner, { messages_per_second: 1 }, clock)
    await limiter.send(textMessages('first'), live)
    const second = limiter.send(textMessages('second'), live)
    await Promise.resolve()
    nowMs = 1000
    const third = limiter.send(textMessages('third'), live)
    waking.shift()!()
    await second
    expect(inner.calls.map(payloadTexts)).toEqual([['first'], ['second']])
    nowMs = 2000
    waking.shift()?.()
    await third
  })
})

describe('limiter on an input', () => {
  it('asks the source again when the last batch has used up its time', async () => {
    const { limiter, clock, inner } = input(100, [numbers(50), ['a']])
    await limiter.receive(limit, live)
    const second = limiter.receive(limit, live)
    await clock.advance(499)
    expect(inner.receives).toHaveLength(1)
    await clock.advance(1)
    expect((await second).messages).toHaveLength(1)
  })

  it('counts the wait for the first message as time that was used up', async () => {
    const { limiter, clock } = input(10, [{ afterMs: 5000, step: ['a', 'b'] }, ['c']])
    const first = limiter.receive(limit, live)
    await clock.advance(5000)
    await first
    expect(payloadTexts((await limiter.receive(limit, live)).messages)).toEqual(['c'])
  })

  it('does not wait after an empty batch', async () => {
    const { limiter, inner } = input(1, [[], [], ['a']])
    for (let receive = 0; receive < 3; receive++) await limiter.receive(limit, live)
    expect(inner.receives).toHaveLength(3)
  })

  it('stops waiting at once, with nothing taken', async () => {
    const { limiter, clock, inner } = input(1, [['a'], ['b']])
    await limiter.receive(limit, live)
    const stop = new AbortController()
    const receiving = limiter.receive(limit, stop.signal)
    await clock.waitForTimers()
    stop.abort(new Error('stop'))
    await expect(receiving).rejects.toThrow('stop')
    expect(inner.receives).toHaveLength(1)
    expect(clock.pending).toBe(0)
    const next = limiter.receive(limit, live)
    await clock.advance(1000)
    expect(payloadTexts((await next).messages)).toEqual(['b'])
  })
})

describe('the limiter plugin', () => {
  it('takes any rate above zero', () => {
    expect(limiterConfig.safeParse({ messages_per_second: 0.5 }).success).toBe(true)
    for (const wrong of [0, -1, Number.POSITIVE_INFINITY, '5'])
      expect(limiterConfig.safeParse({ messages_per_second: wrong }).success).toBe(false)
    expect(limiterConfig.safeParse({}).success).toBe(false)
  })

  it('waits for as long as it takes with a very small rate', async () => {
    const { limiter, clock } = output(0.000_000_2)
    await limiter.send(numbers(1), live)
    const second = limiter.send(numbers(1), live)
    await clock.waitForTimers()
    expect(clock.dueIn[0]).toBeLessThanOrEqual(2_147_483_647)
    await clock.advance(5_000_000_001)
    await second
  })

  it('serves both sides', () => {
    expect(Object.keys(plugin.middlewares!.limiter!)).toEqual(
      expect.arrayContaining(['wrapConsumer', 'wrapPublisher']),
    )
  })
})
