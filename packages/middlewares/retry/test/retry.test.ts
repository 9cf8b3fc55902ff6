import {
  ack,
  failure,
  isNotSent,
  MqbError,
  notSentError,
  type Outcome,
  type Outcomes,
  type Publisher,
  reply,
  wrapPublisher,
} from '@mqb/core'
import {
  type Answer,
  createFakeClock,
  createTestOpening,
  type FakeClock,
  type PublisherScript,
  payloadTexts,
  type ScriptedPublisher,
  scriptedPublisher,
  textMessages,
} from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { type RetryConfig, retryConfig } from '../src/config.ts'
import { pauseMs, retryPublisher } from '../src/retry.ts'

interface Setup {
  clock: FakeClock
  inner: ScriptedPublisher
  publisher: Publisher
  opening: ReturnType<typeof createTestOpening>
}

function setup(script: PublisherScript, config: Partial<RetryConfig> = {}): Setup {
  const clock = createFakeClock()
  const inner = scriptedPublisher(script, clock)
  const opening = createTestOpening({ clock })
  const publisher = retryPublisher(inner, retryConfig.parse(config), opening)
  return { clock, inner, opening, publisher }
}

const live = new AbortController().signal

const kinds = (outcomes: Outcomes): string[] =>
  (outcomes as readonly Outcome[]).map(outcome =>
    outcome.kind === 'failure' ? outcome.error.kind : outcome.kind,
  )

/** Fails messages with this text the given number of times. */
function failing(text: string, times: number, answer: Answer = 'retryable'): PublisherScript {
  return (message, attempt) => (message.text() === text && attempt <= times ? answer : 'ack')
}

function errorAt(outcomes: Outcomes, index: number): MqbError {
  const outcome = (outcomes as readonly Outcome[])[index]
  if (outcome?.kind !== 'failure') throw new Error(`no failure at ${index}`)
  return outcome.error
}

describe('retry', () => {
  it('hands a good answer on as it is', async () => {
    const { publisher, inner, clock } = setup([])
    const outcomes = await publisher.send(textMessages('a', 'b'), live)
    expect(kinds(outcomes)).toEqual(['ack', 'ack'])
    expect(inner.calls).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })

  it('sends only what failed again and keeps settled outcomes at their places', async () => {
    const answers: Record<string, Answer> = { b: { reply: 'answer' }, d: 'permanent' }
    const { publisher, inner, clock, opening } = setup((message, attempt) =>
      message.text() === 'c' && attempt < 3 ? 'retryable' : (answers[message.text()] ?? 'ack'),
    )
    const messages = textMessages('a', 'b', 'c', 'd', 'e')
    const sending = publisher.send(messages, live)
    await clock.advance(100)
    await clock.advance(200)
    const outcomes = await sending
    expect(inner.calls.map(payloadTexts)).toEqual([['a', 'b', 'c', 'd', 'e'], ['c'], ['c']])
    expect(kinds(outcomes)).toEqual(['ack', 'reply', 'ack', 'permanent', 'ack'])
    expect(opening.counted).toEqual({ retried: 2 })
  })

  it('waits longer after each try, up to the cap', async () => {
    const { publisher, inner, clock } = setup(failing('a', 4), {
      max_attempts: 5,
      initial_interval_ms: 100,
      max_interval_ms: 350,
      multiplier: 2,
    })
    const sending = publisher.send(textMessages('a'), live)
    for (const pause of [100, 200, 350, 350]) {
      await clock.waitForTimers()
      expect(clock.dueIn).toEqual([pause])
      await clock.advance(pause)
    }
    expect(kinds(await sending)).toEqual(['ack'])
    expect(inner.calls).toHaveLength(5)
  })

  it('computes pauses without overflow for any number of tries', () => {
    const config = retryConfig.parse({ multiplier: 10 })
    expect(pauseMs(config, 2)).toBe(100)
    expect(pauseMs(config, 1000)).toBe(5000)
  })

  it('gives up as permanent, with the tries, the last error as cause and the message where it failed', async () => {
    const cause = new MqbError({
      kind: 'retryable',
      code: 'MQB_BUSY',
      what: 'overloaded',
      where: 'orders.output.x',
    })
    const [message, other] = textMessages('a', 'changed')
    const { publisher, clock, opening } = setup(() => failure(cause, other))
    const sending = publisher.send([message!], live)
    await clock.advance(300)
    const [outcome] = (await sending) as readonly Outcome[]
    if (outcome?.kind !== 'failure') throw new Error('expected a failure')
    const { error } = outcome
    expect(error).toMatchObject({ kind: 'permanent', code: 'MQB_RETRY_EXHAUSTED', where: 'orders.output.x' })
    expect(error.what).toBe('gave up after 3 tries: overloaded')
    expect(error.details).toEqual({ attempts: 3 })
    expect(error.cause).toBe(cause)
    expect(outcome.message).toBe(other)
    expect(opening.counted).toEqual({ retried: 2, exhausted: 1 })
  })

  it('tries once with max_attempts 1', async () => {
    const { publisher, inner } = setup(failing('a', 1), { max_attempts: 1 })
    const outcomes = await publisher.send(textMessages('a', 'b'), live)
    expect(errorAt(outcomes, 0)).toMatchObject({ code: 'MQB_RETRY_EXHAUSTED', details: { attempts: 1 } })
    expect(inner.calls).toHaveLength(1)
  })

  it('hands a lost connection on at once, also when other messages of the call are retryable', async () => {
    const { publisher, inner, clock } = setup(['ack', 'connection', 'retryable'])
    const outcomes = await publisher.send(textMessages('a', 'b', 'c'), live)
    expect(kinds(outcomes)).toEqual(['ack', 'connection', 'retryable'])
    expect(inner.calls).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })

  it('hands a thrown lost connection on as it was thrown', async () => {
    const lost = new MqbError({ kind: 'connection', code: 'MQB_LOST', what: 'reset' })
    const { publisher, inner } = setup([{ throws: lost }])
    await expect(publisher.send(textMessages('a'), live)).rejects.toBe(lost)
    expect(inner.calls).toHaveLength(1)
  })

  it('keeps what was settled before the connection was lost in a later try', async () => {
    const lost = new MqbError({ kind: 'connection', code: 'MQB_LOST', what: 'reset' })
    const { publisher, clock } = setup((message, attempt) =>
      message.text() === 'a' ? 'ack' : attempt === 1 ? 'retryable' : { throws: lost },
    )
    const sending = publisher.send(textMessages('a', 'b'), live)
    await clock.advance(100)
    const outcomes = await sending
    expect(kinds(outcomes)).toEqual(['ack', 'connection'])
    expect(errorAt(outcomes, 1)).toBe(lost)
  })

  it('tries everything again when the whole call threw something retryable or something unknown', async () => {
    for (const thrown of [
      new Error('bug'),
      undefined,
      new MqbError({ kind: 'retryable', code: 'X', what: 'x' }),
    ]) {
      const { publisher, inner, clock } = setup((_, attempt) => (attempt === 1 ? { throws: thrown } : 'ack'))
      const sending = publisher.send(textMessages('a', 'b'), live)
      await clock.advance(100)
      expect(kinds(await sending)).toEqual(['ack', 'ack'])
      expect(inner.calls.map(payloadTexts)).toEqual([
        ['a', 'b'],
        ['a', 'b'],
      ])
    }
  })

  it('passes permanent failures at once, and tells how many tries it took to find out', async () => {
    const { publisher, clock } = setup((message, attempt) =>
      message.text() === 'now' ? 'permanent' : attempt === 1 ? 'retryable' : 'permanent',
    )
    const sending = publisher.send(textMessages('now', 'later'), live)
    await clock.advance(100)
    const outcomes = await sending
    expect(errorAt(outcomes, 0).details).toBeUndefined()
    expect(errorAt(outcomes, 1)).toMatchObject({ code: 'MQB_SCRIPTED', details: { attempts: 2 } })
  })

  it('returns what is unsettled as retryable when the deadline passes during a pause', async () => {
    const { publisher, inner, clock } = setup(failing('b', 99))
    const deadline = new AbortController()
    const sending = publisher.send(textMessages('a', 'b'), deadline.signal)
    await clock.waitForTimers()
    deadline.abort(new Error('deadline'))
    expect(kinds(await sending)).toEqual(['ack', 'retryable'])
    expect(inner.calls).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })

  it('gives the deadline to the send behind it and does not try again after it', async () => {
    const deadline = new AbortController()
    const { publisher, inner } = setup(() => {
      deadline.abort(new Error('deadline'))
      return 'retryable'
    })
    expect(kinds(await publisher.send(textMessages('a'), deadline.signal))).toEqual(['retryable'])
    expect(inner.signals[0]).toBe(deadline.signal)
    expect(inner.calls).toHaveLength(1)
  })

  it('gives nothing up after the deadline: the message comes again', async () => {
    const deadline = new AbortController()
    const { publisher, opening } = setup(
      () => {
        deadline.abort(new Error('deadline'))
        return 'retryable'
      },
      { max_attempts: 1 },
    )
    const outcomes = await publisher.send(textMessages('a'), deadline.signal)
    expect(errorAt(outcomes, 0)).toMatchObject({ kind: 'retryable', code: 'MQB_SCRIPTED' })
    expect(opening.counted).toEqual({})
  })

  it('hands on what a send throws because its deadline passed', async () => {
    const reason = new Error('deadline')
    const { publisher } = setup([{ throws: reason }])
    await expect(publisher.send(textMessages('a'), AbortSignal.abort(reason))).rejects.toBe(reason)
  })

  it('takes an answer of the wrong length for a failure of that try', async () => {
    const { inner, opening, clock } = setup(failing('a', 1))
    let calls = 0
    const broken = wrapPublisher(inner, {
      send: async (messages, signal) => (++calls === 2 ? [] : inner.send(messages, signal)),
    })
    const sending = retryPublisher(broken, retryConfig.parse({}), opening).send(textMessages('a'), live)
    await clock.advance(300)
    expect(kinds(await sending)).toEqual(['ack'])
  })
})

describe('retry in front of an ordered output', () => {
  /** Writes in order; after a retryable failure it writes nothing more of the call and says so. */
  function ordered(fails: (text: string, attempt: number) => Outcome | undefined, tellsNotSent: boolean) {
    const written: string[] = []
    const attempts = new Map<string, number>()
    const publisher = wrapPublisher(scriptedPublisher(), {
      async send(messages) {
        let stopped: MqbError | undefined
        return messages.map(message => {
          if (stopped !== undefined) return failure(tellsNotSent ? notSentError(stopped) : stopped)
          const text = message.text()
          const attempt = (attempts.get(text) ?? 0) + 1
          attempts.set(text, attempt)
          const outcome = fails(text, attempt) ?? ack()
          if (outcome.kind !== 'failure') written.push(text)
          else if (outcome.error.kind !== 'permanent') stopped = outcome.error
          return outcome
        })
      },
    })
    return { publisher, written }
  }

  const busy = failure(new MqbError({ kind: 'retryable', code: 'MQB_BUSY', what: 'overloaded' }))

  for (const tellsNotSent of [true, false]) {
    it(`keeps the order of every key without doubles (${tellsNotSent ? 'told' : 'not told'} what was not sent)`, async () => {
      const clock = createFakeClock()
      const { publisher, written } = ordered(
        (text, attempt) => (text.endsWith('3') && attempt <= 2 ? busy : undefined),
        tellsNotSent,
      )
      const retrying = retryPublisher(
        publisher,
        retryConfig.parse({ max_attempts: 5 }),
        createTestOpening({ clock }),
      )
      const expected: string[] = []
      for (let batch = 0; batch < 30; batch++) {
        const texts = Array.from({ length: 10 }, (_, index) => `${batch}-${index}`)
        expected.push(...texts)
        const sending = retrying.send(textMessages(...texts), live)
        await clock.advance(1000)
        expect(kinds(await sending)).toEqual(texts.map(() => 'ack'))
      }
      expect(written).toEqual(expected)
    })
  }

  it('gives up on the message that fails, not on those that were held back behind it', async () => {
    const clock = createFakeClock()
    const { publisher, written } = ordered(text => (text === 'bad' ? busy : undefined), true)
    const sending = retryPublisher(publisher, retryConfig.parse({}), createTestOpening({ clock })).send(
      textMessages('a', 'bad', 'b', 'c'),
      live,
    )
    await clock.advance(300)
    const outcomes = await sending
    expect(kinds(outcomes)).toEqual(['ack', 'permanent', 'ack', 'ack'])
    expect(errorAt(outcomes, 1).details).toEqual({ attempts: 3 })
    expect(written).toEqual(['a', 'b', 'c'])
  })

  it('ends also when an output only ever says that it sent nothing', async () => {
    const clock = createFakeClock()
    const inner = scriptedPublisher(() => failure(notSentError()), clock)
    const sending = retryPublisher(inner, retryConfig.parse({}), createTestOpening({ clock })).send(
      textMessages('a', 'b'),
      live,
    )
    await clock.advance(300)
    const outcomes = await sending
    expect(kinds(outcomes)).toEqual(['permanent', 'permanent'])
    expect(isNotSent(errorAt(outcomes, 0).cause as MqbError)).toBe(true)
  })

  it('never sends a message twice that was replied to', async () => {
    const clock = createFakeClock()
    const [request, other] = textMessages('request', 'other')
    const inner = scriptedPublisher(
      (message, attempt) => (message === request ? reply(message) : attempt < 3 ? 'retryable' : 'ack'),
      clock,
    )
    const sending = retryPublisher(inner, retryConfig.parse({}), createTestOpening({ clock })).send(
      [request!, other!],
      live,
    )
    await clock.advance(300)
    expect(kinds(await sending)).toEqual(['reply', 'ack'])
    expect(inner.calls.flat().filter(message => message === request)).toHaveLength(1)
  })
})
