import { getEventListeners } from 'node:events'
import { MqbError, type Outcomes, type Publisher, wrapPublisher } from '@mqb/core'
import {
  createFakeClock,
  createTestOpening,
  type PublisherScript,
  payloadTexts,
  scriptedPublisher,
  textMessages,
} from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import plugin, { errorCodes, timeoutConfig } from '../src/index.ts'
import { timeoutPublisher } from '../src/timeout.ts'

const live = new AbortController().signal

function setup(script: PublisherScript, inner?: Publisher) {
  const clock = createFakeClock()
  const scripted = scriptedPublisher(script, clock)
  const opening = createTestOpening({ clock, path: 'orders.output.middlewares[0].timeout' })
  return {
    clock,
    inner: scripted,
    opening,
    publisher: timeoutPublisher(inner ?? scripted, { timeout_ms: 1000 }, opening),
  }
}

/** A publisher whose sends the test answers by hand, and which does not listen to its signal. */
function manual() {
  const pending: { resolve: (outcomes: Outcomes) => void; reject: (reason: unknown) => void }[] = []
  const publisher = wrapPublisher(scriptedPublisher(), {
    send: () => new Promise((resolve, reject) => pending.push({ resolve, reject })),
  })
  return { publisher, pending }
}

describe('timeout', () => {
  it('hands on an answer that comes in time and leaves no timer', async () => {
    const { publisher, clock } = setup(() => ({ afterMs: 999, answer: { reply: 'fine' } }))
    const sending = publisher.send(textMessages('a'), live)
    await clock.advance(999)
    expect(await sending).toMatchObject([{ kind: 'reply' }])
    expect(clock.pending).toBe(0)
  })

  it('answers retryable for the whole call at the limit and tells the send to stop', async () => {
    const { publisher, clock, inner, opening } = setup(() => 'never')
    const sending = publisher.send(textMessages('a', 'b'), live)
    await Promise.all([
      expect(sending).rejects.toMatchObject({
        kind: 'retryable',
        code: 'MQB_SEND_TIMEOUT',
        where: 'orders.output.middlewares[0].timeout',
        what: 'scripted did not answer a send of 2 messages within 1000 ms',
      }),
      clock.advance(1000),
    ])
    expect(inner.signals[0]!.aborted).toBe(true)
    expect(MqbError.is(inner.signals[0]!.reason)).toBe(true)
    expect(opening.counted).toEqual({ timeouts: 1 })
  })

  it('takes the next send while the one that was given up still runs', async () => {
    const { publisher, clock, inner } = setup((_, attempt) => (attempt === 1 ? 'never' : 'ack'))
    const messages = textMessages('a')
    const first = publisher.send(messages, live).catch(() => 'gave up')
    await clock.advance(1000)
    expect(await first).toBe('gave up')
    await publisher.send(messages, live)
    expect(inner.running).toBe(1)
    expect(payloadTexts(inner.delivered)).toEqual(['a'])
  })

  it('leaves nothing on the signal of the caller, whether in time or not', async () => {
    const deadline = new AbortController()
    const { publisher, clock } = setup((_, attempt) => (attempt === 1 ? 'ack' : 'never'))
    const messages = textMessages('a')
    await publisher.send(messages, deadline.signal)
    expect(getEventListeners(deadline.signal, 'abort')).toEqual([])
    const late = publisher.send(messages, deadline.signal).catch(() => undefined)
    expect(getEventListeners(deadline.signal, 'abort')).not.toEqual([])
    await clock.advance(1000)
    await late
    expect(getEventListeners(deadline.signal, 'abort')).toEqual([])
  })

  it('ignores what comes after the limit, with a debug line', async () => {
    const { publisher: inner, pending } = manual()
    const { publisher, clock, opening } = setup([], inner)
    const sends = [textMessages('a'), textMessages('b')].map(messages =>
      publisher.send(messages, live).catch((error: unknown) => (error as MqbError).code),
    )
    await clock.advance(1000)
    expect(await Promise.all(sends)).toEqual(['MQB_SEND_TIMEOUT', 'MQB_SEND_TIMEOUT'])
    pending[0]!.resolve([])
    pending[1]!.reject(new Error('reset'))
    await clock.advance(0)
    expect(opening.log.find('debug').map(line => line.text)).toEqual([
      'an answer came after the timeout and is ignored',
      'a send failed after the timeout: reset',
    ])
  })

  it('says nothing about a send that ends because it was told to', async () => {
    const { publisher, clock, opening } = setup(() => ({ afterMs: 5000, answer: 'ack' }))
    const sending = publisher.send(textMessages('a'), live).catch(() => undefined)
    await clock.advance(1000)
    await sending
    expect(opening.log.lines).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it('hands on what is thrown before the limit, also at once and without a promise', async () => {
    const thrown = new Error('bug')
    const { publisher } = setup([{ throws: thrown }])
    await expect(publisher.send(textMessages('a'), live)).rejects.toBe(thrown)
    const rude = wrapPublisher(scriptedPublisher(), {
      send: () => {
        throw thrown
      },
    })
    const { publisher: around, clock } = setup([], rude)
    await expect(around.send(textMessages('a'), live)).rejects.toBe(thrown)
    expect(clock.pending).toBe(0)
  })

  it('hands the deadline of the caller on, and still answers when nobody listens to it', async () => {
    const { publisher: inner } = manual()
    const { publisher, clock } = setup([], inner)
    const deadline = new AbortController()
    const sending = publisher.send(textMessages('a'), deadline.signal).catch((error: unknown) => error)
    deadline.abort(new Error('deadline'))
    await clock.advance(1000)
    expect(await sending).toMatchObject({ code: 'MQB_SEND_TIMEOUT' })

    const other = setup(() => ({ afterMs: 500, answer: 'ack' }))
    const reason = new Error('deadline')
    await expect(other.publisher.send(textMessages('a'), AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(other.clock.pending).toBe(0)
  })
})

describe('the timeout plugin', () => {
  it('serves outputs only, with a limit of at least a millisecond', () => {
    const timeout = plugin.middlewares!.timeout!
    expect(timeout.wrapConsumer).toBeUndefined()
    expect(timeoutConfig.safeParse({ timeout_ms: 0 }).success).toBe(false)
    expect(timeoutConfig.safeParse({}).success).toBe(false)
    expect(Object.keys(errorCodes)).toEqual(['MQB_SEND_TIMEOUT'])
  })
})
