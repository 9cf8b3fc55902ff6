import {
  ALL_ACKED,
  isNotSent,
  Message,
  MqbError,
  type Outcome,
  type Outcomes,
  type Publisher,
  wrapPublisher,
} from '@mqb/core'
import {
  createFakeClock,
  type PublisherScript,
  payloadTexts,
  scriptedPublisher,
  textMessages,
} from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import type { BufferConfig } from '../src/config.ts'
import { OutputBuffer } from '../src/output.ts'

const live = new AbortController().signal

function setup(config: BufferConfig, script?: PublisherScript) {
  const clock = createFakeClock()
  const inner = scriptedPublisher(script, clock)
  return { clock, inner, buffer: new OutputBuffer(inner, config, clock) }
}

const slow: PublisherScript = () => ({ afterMs: 10, answer: 'ack' })
const texts = (...parts: string[]) => textMessages(...parts)
const numbers = (count: number) => texts(...Array.from({ length: count }, (_, index) => String(index)))

function kinds(outcomes: Outcomes): string[] {
  return (outcomes as readonly Outcome[]).map(outcome =>
    outcome.kind === 'failure'
      ? isNotSent(outcome.error)
        ? 'not sent'
        : outcome.error.kind
      : outcome.kind === 'reply'
        ? outcome.message.text()
        : outcome.kind,
  )
}

const sizes = (inner: { calls: readonly (readonly Message[])[] }) => inner.calls.map(call => call.length)

describe('buffer on an output', () => {
  it('sends what several calls hand in as one batch, in order of arrival', async () => {
    const { buffer, inner } = setup({ max_messages: 4, max_delay_ms: 20 })
    const sends = [texts('a'), texts('b', 'c'), texts('d')].map(messages => buffer.send(messages, live))
    await Promise.all(sends)
    expect(inner.calls.map(payloadTexts)).toEqual([['a', 'b', 'c', 'd']])
  })

  it('waits for others no longer than the delay, counted from the oldest', async () => {
    const { buffer, inner, clock } = setup({ max_messages: 10, max_delay_ms: 20 })
    const first = buffer.send(texts('a'), live)
    await clock.advance(15)
    const second = buffer.send(texts('b'), live)
    expect(inner.calls).toEqual([])
    await clock.advance(5)
    await Promise.all([first, second])
    expect(inner.calls.map(payloadTexts)).toEqual([['a', 'b']])
    expect(clock.pending).toBe(0)
  })

  it('gives each call its own outcomes: reply, error and ack', async () => {
    const { buffer } = setup({ max_messages: 4, max_delay_ms: 20 }, [
      { reply: 'for a' },
      'permanent',
      'retryable',
      'ack',
    ])
    const answers = await Promise.all([
      buffer.send(texts('a'), live),
      buffer.send(texts('b', 'c'), live),
      buffer.send(texts('d'), live),
    ])
    expect(answers.map(kinds)).toEqual([['for a'], ['permanent', 'retryable'], ['ack']])
  })

  it('hands ALL_ACKED on as such', async () => {
    const inner = wrapPublisher(scriptedPublisher(), { send: async () => ALL_ACKED })
    const buffer = new OutputBuffer(inner, { max_messages: 2, max_delay_ms: 20 }, createFakeClock())
    expect(await Promise.all([buffer.send(texts('a'), live), buffer.send(texts('b'), live)])).toEqual([
      ALL_ACKED,
      ALL_ACKED,
    ])
    expect(await buffer.send(numbers(5), live)).toBe(ALL_ACKED)
  })

  it('sends a call that is a full batch at once, and a larger one at once in slices', async () => {
    const { buffer, inner, clock } = setup({ max_messages: 4, max_delay_ms: 20 })
    await buffer.send(numbers(4), live)
    expect(sizes(inner)).toEqual([4])
    const outcomes = await buffer.send(numbers(10), live)
    expect(sizes(inner)).toEqual([4, 4, 4, 2])
    expect(payloadTexts(inner.delivered.slice(4))).toEqual(payloadTexts(numbers(10)))
    expect(kinds(outcomes)).toHaveLength(10)
    expect(clock.pending).toBe(0)
  })

  it('never cuts a call that fits into a batch of its own', async () => {
    const { buffer, inner } = setup({ max_messages: 4, max_delay_ms: 20 })
    await Promise.all([buffer.send(numbers(3), live), buffer.send(numbers(3), live)])
    expect(sizes(inner)).toEqual([3, 3])
  })

  it('takes company into the rest of a sliced call', async () => {
    const { buffer, inner, clock } = setup({ max_messages: 4, max_delay_ms: 20 }, slow)
    const sends = [buffer.send(numbers(6), live), buffer.send(numbers(2), live)]
    await clock.advance(20)
    await Promise.all(sends)
    expect(sizes(inner)).toEqual([4, 4])
  })

  it('puts the outcomes of slices to the places of their messages', async () => {
    const { buffer } = setup({ max_messages: 2, max_delay_ms: 0 }, message =>
      Number(message.text()) % 2 === 0 ? { reply: `re ${message.text()}` } : 'permanent',
    )
    expect(kinds(await buffer.send(numbers(5), live))).toEqual([
      're 0',
      'permanent',
      're 2',
      'permanent',
      're 4',
    ])
  })

  it('does not send the rest of a call after a part of it that will come again', async () => {
    const { buffer, inner } = setup({ max_messages: 2, max_delay_ms: 0 }, ['ack', 'retryable'])
    const [sliced, other] = await Promise.all([
      buffer.send(numbers(5), live),
      buffer.send(texts('other'), live),
    ])
    expect(kinds(sliced)).toEqual(['ack', 'retryable', 'not sent', 'not sent', 'not sent'])
    expect(kinds(other)).toEqual(['ack'])
    expect(inner.calls.map(payloadTexts)).toEqual([['0', '1'], ['other']])
  })

  it('goes on with the rest of a call after a permanent failure', async () => {
    const { buffer } = setup({ max_messages: 2, max_delay_ms: 0 }, [
      { throws: new MqbError({ kind: 'permanent', code: 'MQB_X', what: 'too large' }) },
      'ack',
    ])
    expect(kinds(await buffer.send(numbers(4), live))).toEqual(['permanent', 'permanent', 'ack', 'ack'])
  })

  it('gives every call what the batch threw, also a call that was cut', async () => {
    const lost = new MqbError({ kind: 'connection', code: 'MQB_LOST', what: 'reset' })
    const { buffer } = setup({ max_messages: 2, max_delay_ms: 20 }, () => ({ throws: lost }))
    const results = await Promise.allSettled([buffer.send(texts('a'), live), buffer.send(texts('b'), live)])
    expect(results.map(result => result.status === 'rejected' && result.reason)).toEqual([lost, lost])
    expect(kinds(await buffer.send(numbers(3), live))).toEqual(['connection', 'connection', 'not sent'])
  })

  it('takes an answer of the wrong length for a failure of the batch', async () => {
    const inner = wrapPublisher(scriptedPublisher(), { send: async () => [] })
    const buffer = new OutputBuffer(inner, { max_messages: 1, max_delay_ms: 0 }, createFakeClock())
    await expect(buffer.send(texts('a'), live)).rejects.toThrow(TypeError)
  })

  it('keeps one batch in flight, whatever the delay is', async () => {
    for (const max_delay_ms of [0, 5]) {
      const { buffer, inner, clock } = setup({ max_messages: 3, max_delay_ms }, slow)
      const sends = Array.from({ length: 12 }, (_, index) => buffer.send(texts(String(index)), live))
      await clock.advance(100)
      await Promise.all(sends)
      expect(inner.mostRunning).toBe(1)
      expect(payloadTexts(inner.delivered)).toEqual(payloadTexts(numbers(12)))
    }
  })

  it('adds no wait with max_delay_ms 0: a first send goes out at once, what comes meanwhile goes together', async () => {
    const { buffer, inner, clock } = setup({ max_messages: 100, max_delay_ms: 0 }, slow)
    const sends = [buffer.send(texts('a'), live)]
    expect(sizes(inner)).toEqual([1])
    for (const text of ['b', 'c', 'd']) sends.push(buffer.send(texts(text), live))
    await clock.advance(10)
    expect(sizes(inner)).toEqual([1, 3])
    await clock.advance(10)
    await Promise.all(sends)
    expect(clock.pending).toBe(0)
  })

  it('sends at once what waited behind a batch in flight for longer than the delay', async () => {
    const { buffer, inner, clock } = setup({ max_messages: 3, max_delay_ms: 5 }, slow)
    const sends = [buffer.send(numbers(3), live), buffer.send(texts('late'), live)]
    await clock.advance(9)
    expect(sizes(inner)).toEqual([3])
    await clock.advance(1)
    expect(sizes(inner)).toEqual([3, 1])
    await clock.advance(10)
    await Promise.all(sends)
  })

  it('lets what came during a batch in flight wait for the rest of its delay', async () => {
    const { buffer, inner, clock } = setup({ max_messages: 3, max_delay_ms: 15 }, slow)
    const sends = [buffer.send(numbers(3), live)]
    await clock.advance(5)
    sends.push(buffer.send(texts('late'), live))
    await clock.advance(14)
    expect(sizes(inner)).toEqual([3])
    await clock.advance(1)
    expect(sizes(inner)).toEqual([3, 1])
    await clock.advance(10)
    await Promise.all(sends)
  })

  it('answers an empty call without a batch', async () => {
    const { buffer, inner } = setup({ max_messages: 3, max_delay_ms: 5 })
    expect(await buffer.send([], live)).toBe(ALL_ACKED)
    expect(inner.calls).toEqual([])
  })
})

describe('buffer at a stop', () => {
  it('sends a half-filled batch at a flush and waits for no timer', async () => {
    const { buffer, inner, clock } = setup({ max_messages: 10_000, max_delay_ms: 1_800_000 })
    const sends = Array.from({ length: 137 }, (_, index) => buffer.send(texts(String(index)), live))
    await clock.waitForTimers()
    expect(inner.calls).toEqual([])
    expect(buffer.status()).toMatchObject({ details: { buffered: 137 } })
    await buffer.flush()
    await Promise.all(sends)
    expect(sizes(inner)).toEqual([137])
    expect(inner.flushes).toBe(1)
    expect(clock.pending).toBe(0)
    expect(buffer.status().details).toBeUndefined()
  })

  it('holds nothing back that comes within the delay after a flush, and everything again later', async () => {
    const { buffer, inner, clock } = setup({ max_messages: 10, max_delay_ms: 1000 })
    await buffer.flush()
    await clock.advance(999)
    await buffer.send(texts('late'), live)
    expect(sizes(inner)).toEqual([1])
    await clock.advance(1)
    const sending = buffer.send(texts('later'), live)
    await clock.waitForTimers()
    await clock.advance(1000)
    await sending
    expect(sizes(inner)).toEqual([1, 1])
  })

  it('sends what was flushed behind a batch in flight as soon as that is done', async () => {
    const { buffer, inner, clock } = setup({ max_messages: 2, max_delay_ms: 1_800_000 }, slow)
    const sends = [buffer.send(numbers(2), live), buffer.send(texts('rest'), live)]
    await buffer.flush()
    await clock.advance(20)
    await Promise.all(sends)
    expect(sizes(inner)).toEqual([2, 1])
  })

  it('returns what waits when the deadline passes, and sends it to nobody', async () => {
    const { buffer, inner, clock } = setup({ max_messages: 10, max_delay_ms: 1000 })
    const deadline = new AbortController()
    const sends = [buffer.send(texts('a'), deadline.signal), buffer.send(texts('b'), live)]
    const reason = new Error('deadline')
    deadline.abort(reason)
    await expect(sends[0]).rejects.toBe(reason)
    await clock.advance(1000)
    await sends[1]
    expect(inner.calls.map(payloadTexts)).toEqual([['b']])
  })

  it('leaves no timer behind when everything that waited was given up', async () => {
    const { buffer, clock } = setup({ max_messages: 10, max_delay_ms: 1000 })
    const deadline = new AbortController()
    const sending = buffer.send(texts('a'), deadline.signal)
    deadline.abort(new Error('deadline'))
    await expect(sending).rejects.toThrow('deadline')
    expect(clock.pending).toBe(0)
  })

  it('refuses a call whose deadline has passed', async () => {
    const { buffer, inner } = setup({ max_messages: 1, max_delay_ms: 0 })
    await expect(buffer.send(texts('a'), AbortSignal.abort(new Error('deadline')))).rejects.toThrow(
      'deadline',
    )
    expect(inner.calls).toEqual([])
  })

  it('aborts a batch in flight only when nobody waits for it any more', async () => {
    const { buffer, inner } = setup({ max_messages: 2, max_delay_ms: 1000 }, () => 'never')
    const [one, two] = [new AbortController(), new AbortController()]
    const sends = [buffer.send(texts('a'), one.signal), buffer.send(texts('b'), two.signal)]
    one.abort(new Error('one'))
    await expect(sends[0]).rejects.toThrow('one')
    expect(inner.signals[0]!.aborted).toBe(false)
    two.abort(new Error('two'))
    await expect(sends[1]).rejects.toThrow('two')
    expect(inner.signals[0]!.aborted).toBe(true)
  })

  it('does not send the rest of a cut call after its deadline', async () => {
    const { buffer, inner, clock } = setup({ max_messages: 2, max_delay_ms: 0 }, slow)
    const deadline = new AbortController()
    const sending = buffer.send(numbers(6), deadline.signal)
    deadline.abort(new Error('deadline'))
    await expect(sending).rejects.toThrow('deadline')
    await clock.advance(100)
    expect(sizes(inner)).toEqual([2])
  })

  it('rejects what waits at close, closes what it wraps, and takes nothing more', async () => {
    const { buffer, inner, clock } = setup({ max_messages: 10, max_delay_ms: 1000 })
    const sending = buffer.send(texts('a'), live)
    await Promise.all([buffer.close(), expect(sending).rejects.toMatchObject({ code: 'MQB_CLOSED' })])
    await buffer.close()
    expect(inner.calls).toEqual([])
    expect(inner.closes).toBe(2)
    expect(clock.pending).toBe(0)
    await expect(buffer.send(texts('b'), live)).rejects.toMatchObject({
      kind: 'connection',
      code: 'MQB_CLOSED',
    })
  })

  it('lets a batch in flight end by itself at close and reports it truthfully', async () => {
    const { buffer, clock } = setup({ max_messages: 1, max_delay_ms: 0 }, slow)
    const sending = buffer.send(texts('a'), live)
    await buffer.close()
    await clock.advance(10)
    expect(kinds(await sending)).toEqual(['ack'])
  })

  it('keeps one listener for all calls that share a deadline, and none when they are answered', async () => {
    const { signal } = new AbortController()
    let listeners = 0
    let most = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      most = Math.max(most, ++listeners)
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--
      remove(...args)
    }
    const { buffer, clock } = setup({ max_messages: 5000, max_delay_ms: 10 })
    const sends = Array.from({ length: 4096 }, () => buffer.send(texts('a'), signal))
    await clock.advance(10)
    await Promise.all(sends)
    expect([most, listeners]).toEqual([1, 0])
  })

  it('gives up all calls of a deadline at once', async () => {
    const { buffer, inner, clock } = setup({ max_messages: 10, max_delay_ms: 1000 })
    const deadline = new AbortController()
    const sends = ['a', 'b', 'c'].map(text => buffer.send(texts(text), deadline.signal))
    deadline.abort(new Error('deadline'))
    const results = await Promise.allSettled(sends)
    expect(results.map(result => result.status)).toEqual(['rejected', 'rejected', 'rejected'])
    await clock.advance(1000)
    expect(inner.calls).toEqual([])
    expect(clock.pending).toBe(0)
  })
})

describe('buffer under any mix of calls', () => {
  it('delivers every message once, in order, and answers each call for its own messages', async () => {
    let seed = 7
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    for (let round = 0; round < 30; round++) {
      const clock = createFakeClock()
      const inner = scriptedPublisher(
        message => ({ afterMs: 1 + random(3), answer: { reply: message.text() } }),
        clock,
      )
      const config = { max_messages: 1 + random(8), max_delay_ms: random(2) * 5 }
      const buffer: Publisher = new OutputBuffer(inner, config, clock)
      const handedIn: string[] = []
      const answers: Promise<void>[] = []
      for (let call = 0; call < 25; call++) {
        const messages = Array.from(
          { length: 1 + random(12) },
          () => new Message(`${handedIn.length}-${random(1e9)}`),
        )
        handedIn.push(...payloadTexts(messages))
        answers.push(
          buffer.send(messages, live).then(outcomes => {
            expect(kinds(outcomes)).toEqual(payloadTexts(messages))
          }),
        )
        if (random(3) === 0) await clock.advance(random(4))
      }
      await clock.advance(1000)
      await Promise.all(answers)
      expect(payloadTexts(inner.delivered)).toEqual(handedIn)
      expect(inner.mostRunning).toBe(1)
      expect(Math.max(...sizes(inner))).toBeLessThanOrEqual(config.max_messages)
      expect(clock.pending).toBe(0)
    }
  })
})
