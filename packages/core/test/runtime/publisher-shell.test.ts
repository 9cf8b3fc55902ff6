import { ALL_ACKED, ack, failure, Message, MqbError, type Outcomes, type Publisher } from '@mqb/core'
import { describe, expect, it } from 'vitest'
import { bench, never } from './support/chains.ts'
import { settle, testClock } from './support/clock.ts'
import { middleware, outputPlan } from './support/plans.ts'
import { type Answer, TestSink } from './support/sink.ts'

const retryable = new MqbError({ kind: 'retryable', code: 'MQB_TEST_BUSY', what: 'busy' })
const permanent = new MqbError({ kind: 'permanent', code: 'MQB_TEST_BAD', what: 'bad' })
const lost = new MqbError({ kind: 'connection', code: 'MQB_TEST_LOST', what: 'lost' })
const messages = (...texts: string[]): Message[] => texts.map(text => new Message(text))

/** A sink whose answers the test gives one by one, in the order of the sends. */
function manual(): { sink: TestSink; answers: ((outcomes: Outcomes | Error) => void)[] } {
  const answers: ((outcomes: Outcomes | Error) => void)[] = []
  const answer: Answer = () =>
    new Promise((resolve, reject) => {
      answers.push(outcomes => (outcomes instanceof Error ? reject(outcomes) : resolve(outcomes)))
    })
  return { sink: new TestSink(answer), answers }
}

describe('send', () => {
  it.each([
    ['an error', new Error('oops')],
    ['undefined', undefined],
    ['a text', 'oops'],
  ])(
    'takes %s that is thrown, also synchronously, for a retryable failure of all messages',
    async (_name, thrown) => {
      const leaf: Publisher = {
        send: () => {
          throw thrown
        },
        flush: async () => {},
        status: () => ({ healthy: true, target: 'x' }),
        close: async () => {},
      }
      const { publisher, supervisor } = bench(testClock())
      const shell = await publisher(outputPlan({ open: () => leaf }))
      const error = (await shell.send(messages('a'), never).catch((reason: unknown) => reason)) as MqbError
      expect(error).toMatchObject({ kind: 'retryable', where: 'r.output.test' })
      expect(error.cause).toBe(thrown)
      expect(supervisor.allReady).toBe(true)
    },
  )

  it('keeps a kind that is set deep in a chain of causes', async () => {
    const sink = new TestSink(() => {
      throw new Error('outer', { cause: new Error('inner', { cause: permanent }) })
    })
    const { publisher } = bench(testClock())
    const shell = await publisher(outputPlan({ open: sink.publisher }))
    await expect(shell.send(messages('a'), never)).rejects.toMatchObject({
      kind: 'permanent',
      code: 'MQB_TEST_BAD',
    })
  })

  it('takes a wrong number of outcomes for no answer at all', async () => {
    const sink = new TestSink(() => [ack()])
    const { publisher } = bench(testClock())
    const shell = await publisher(outputPlan({ open: sink.publisher }))
    await expect(shell.send(messages('a', 'b'), never)).rejects.toMatchObject({
      kind: 'retryable',
      code: 'MQB_OUTCOME_COUNT',
    })
  })

  it('turns failures that carry no MqbError into some that do', async () => {
    const sink = new TestSink(() => [{ kind: 'failure', error: new Error('plain') as MqbError }])
    const { publisher } = bench(testClock())
    const shell = await publisher(outputPlan({ open: sink.publisher }))
    const outcomes = await shell.send(messages('a'), never)
    expect(outcomes).toMatchObject([{ kind: 'failure', error: { kind: 'retryable', what: 'plain' } }])
  })

  it.each(['a throw', 'an outcome'])('reopens the leaf after %s of kind connection', async how => {
    const sink = new TestSink((batch, call) => {
      if (call > 0) return ALL_ACKED
      if (how === 'a throw') throw lost
      return batch.map((_message, index) => (index === 0 ? ack() : failure(lost)))
    })
    const { publisher, supervisor, troubles } = bench(testClock())
    const shell = await publisher(outputPlan({ open: sink.publisher }))
    await shell.send(messages('a', 'b'), never).catch(() => {})
    expect(supervisor.allReady).toBe(false)
    await supervisor.whenAllReady()
    expect(await shell.send(messages('a'), never)).toBe(ALL_ACKED)
    expect(sink.opened).toBe(2)
    expect(sink.open).toBe(1)
    expect(troubles).toHaveLength(1)
    expect(supervisor.reconnects).toBe(1)
  })

  it('lets sends in flight end before the lost leaf is closed, and gives up on them after 5 s', async () => {
    const clock = testClock()
    const { sink, answers } = manual()
    const { publisher } = bench(clock)
    const shell = await publisher(outputPlan({ open: sink.publisher }))
    const first = shell.send(messages('a'), never)
    const second = shell.send(messages('b'), never)
    const third = shell.send(messages('c'), never)
    await settle()
    answers[0]?.(lost)
    await expect(first).rejects.toMatchObject({ kind: 'connection' })
    await settle()
    expect(sink.closed).toBe(0)
    answers[1]?.(ALL_ACKED)
    expect(await second).toBe(ALL_ACKED)
    expect(sink.closed).toBe(0)
    const given = third.catch((reason: unknown) => reason)
    await clock.advance(5000)
    expect(await given).toMatchObject({ kind: 'connection' })
    expect(sink.closed).toBe(1)
    expect(sink.opened).toBe(2)
  })

  it('fails as connection while the leaf is away, and waits while it is being opened', async () => {
    const clock = testClock()
    const sink = new TestSink()
    sink.openFaults.push(() => {
      throw new Error('refused')
    })
    const { publisher } = bench(clock, () => 0.5)
    const shell = await publisher(outputPlan({ open: sink.publisher }))
    await expect(shell.send(messages('a'), never)).rejects.toMatchObject({ kind: 'connection' })
    await clock.advance(50)
    expect(await shell.send(messages('a'), never)).toBe(ALL_ACKED)
  })

  it('rejects as closed after close, and so does what was waiting for its answer', async () => {
    const { sink } = manual()
    const { publisher } = bench(testClock())
    const shell = await publisher(outputPlan({ open: sink.publisher }))
    const waiting = shell.send(messages('a'), never)
    await settle()
    const closing = shell.close()
    await expect(waiting).rejects.toMatchObject({ code: 'MQB_CLOSED' })
    await closing
    await shell.close()
    await expect(shell.send(messages('b'), never)).rejects.toMatchObject({
      kind: 'connection',
      code: 'MQB_CLOSED',
    })
    expect(sink.closed).toBe(1)
  })
})

describe('the pause before an output is opened again', () => {
  it('doubles from 100 ms to the cap, starts at once, and is reset when something got through', async () => {
    const clock = testClock()
    const sink = new TestSink((_batch, call) => {
      if (call === 0 || call === 2) throw lost
      return ALL_ACKED
    })
    const { publisher, supervisor } = bench(clock, () => 0.999_999)
    const shell = await publisher(outputPlan({ open: sink.publisher }))
    const outage = async (failures: number): Promise<number> => {
      for (let at = 0; at < failures; at++)
        sink.openFaults.push(() => {
          throw lost
        })
      const before = clock.monotonic()
      await shell.send(messages('a'), never).catch(() => {})
      while (!supervisor.allReady) await clock.advance(1)
      return clock.monotonic() - before
    }
    expect(await outage(7)).toBe(100 + 200 + 400 + 800 + 1600 + 3200 + 5000 + 5000)
    await shell.send(messages('a'), never)
    expect(await outage(0)).toBe(100)
  })
})

describe('an output that keeps the order', () => {
  const serial = { orderedPublish: 'serial' as const }

  it('sends one batch after another', async () => {
    const { sink, answers } = manual()
    const { publisher } = bench(testClock())
    const shell = await publisher(outputPlan({ open: sink.publisher, capabilities: serial }))
    const sends = ['a', 'b', 'c'].map(text => shell.send(messages(text), never))
    for (let at = 0; at < 3; at++) {
      await settle()
      expect(sink.sends).toHaveLength(at + 1)
      answers[at]?.(ALL_ACKED)
    }
    await Promise.all(sends)
    expect(sink.delivered).toEqual(['a', 'b', 'c'])
    expect(sink.mostRunning).toBe(1)
  })

  it('returns batches unsent that are queued behind a failed one', async () => {
    const { sink, answers } = manual()
    const { publisher } = bench(testClock())
    const shell = await publisher(outputPlan({ open: sink.publisher, capabilities: serial }))
    const [first, second, third] = ['a', 'b', 'c'].map(text => shell.send(messages(text, `${text}2`), never))
    await settle()
    answers[0]?.([ack(), failure(retryable)])
    expect(await first).toMatchObject([{ kind: 'ack' }, { kind: 'failure' }])
    for (const waiting of [second, third])
      expect(await waiting).toMatchObject([
        { kind: 'failure', error: { kind: 'retryable', code: 'MQB_NOT_SENT', cause: retryable } },
        { kind: 'failure', error: { code: 'MQB_NOT_SENT' } },
      ])
    expect(sink.sends).toEqual([['a', 'a2']])
    const next = shell.send(messages('d'), never)
    answers[1]?.(ALL_ACKED)
    await settle()
    answers[1]?.(ALL_ACKED)
    expect(await next).toBe(ALL_ACKED)
  })

  it('goes on behind a failure that settles its message', async () => {
    const { sink, answers } = manual()
    const { publisher } = bench(testClock())
    const shell = await publisher(outputPlan({ open: sink.publisher, capabilities: serial }))
    const first = shell.send(messages('a'), never)
    const second = shell.send(messages('b'), never)
    await settle()
    answers[0]?.([failure(permanent)])
    await first
    await settle()
    answers[1]?.(ALL_ACKED)
    expect(await second).toBe(ALL_ACKED)
  })

  it('does not let an aborted send that never answers hold those behind it', async () => {
    const { sink, answers } = manual()
    const { publisher } = bench(testClock())
    const shell = await publisher(outputPlan({ open: sink.publisher, capabilities: serial }))
    const abort = new AbortController()
    void shell.send(messages('a'), abort.signal).catch(() => {})
    const second = shell.send(messages('b'), never)
    await settle()
    abort.abort(new Error('too late'))
    expect(await second).toMatchObject([{ kind: 'failure', error: { code: 'MQB_NOT_SENT' } }])
    const third = shell.send(messages('c'), never)
    await settle()
    answers[1]?.(ALL_ACKED)
    expect(await third).toBe(ALL_ACKED)
  })

  it('may overlap sends of a bare pipelined leaf, but takes turns once a middleware stands in between', async () => {
    const pass = middleware('pass', { wrapPublisher: inner => inner })
    for (const [middlewares, running] of [
      [[], 3],
      [[pass], 1],
    ] as const) {
      const { sink, answers } = manual()
      const { publisher } = bench(testClock())
      const shell = await publisher(
        outputPlan({ open: sink.publisher, capabilities: { orderedPublish: 'pipelined' }, middlewares }),
      )
      const sends = ['a', 'b', 'c'].map(text => shell.send(messages(text), never))
      for (let at = 0; at < 3; at++) {
        await settle()
        answers[at]?.(ALL_ACKED)
      }
      await Promise.all(sends)
      expect(sink.mostRunning).toBe(running)
      expect(sink.delivered).toEqual(['a', 'b', 'c'])
    }
  })

  it('lets sends overlap above a middleware that merges them and gives up the order', async () => {
    let running = 0
    let most = 0
    const merging = middleware('merging', {
      changes: capabilities => ({ ...capabilities, orderedPublish: 'no' }),
      wrapPublisher: inner => ({
        send: async (batch, signal) => {
          most = Math.max(most, ++running)
          await settle()
          running -= 1
          return inner.send(batch, signal)
        },
        flush: () => inner.flush(),
        status: () => inner.status(),
        close: () => inner.close(),
      }),
    })
    const sink = new TestSink()
    const { publisher } = bench(testClock())
    const shell = await publisher(
      outputPlan({ open: sink.publisher, capabilities: serial, middlewares: [merging] }),
    )
    await Promise.all(['a', 'b', 'c'].map(text => shell.send(messages(text), never)))
    expect(most).toBe(3)
    expect(sink.mostRunning).toBe(1)
  })
})

describe('a chain', () => {
  const tag = (name: string) =>
    middleware(name, {
      wrapPublisher: inner => ({
        send: (batch, signal) =>
          inner.send(
            batch.map(message => message.derive(`${message.text()}${name}`)),
            signal,
          ),
        flush: () => inner.flush(),
        status: () => inner.status(),
        close: () => inner.close(),
      }),
      wrapConsumer: inner => ({
        receive: async (limit, signal) => {
          const batch = await inner.receive(limit, signal)
          return {
            messages: batch.messages.map(message => message.derive(`${message.text()}${name}`)),
            commit: outcomes => batch.commit(outcomes),
          }
        },
        pin: () => inner.pin(),
        status: () => inner.status(),
        close: () => inner.close(),
      }),
    })

  it('wraps an output so that the last middleware is outermost', async () => {
    const sink = new TestSink()
    const { publisher } = bench(testClock())
    const chain = await publisher(outputPlan({ open: sink.publisher, middlewares: [tag('1'), tag('2')] }))
    await chain.send(messages('a'), never)
    expect(sink.delivered).toEqual(['a21'])
  })

  it('gives the leaf the same opening at every opening', async () => {
    const openings = new Set<unknown>()
    const sink = new TestSink((_batch, call) => {
      if (call === 0) throw lost
      return ALL_ACKED
    })
    const { publisher, supervisor } = bench(testClock())
    const shell = await publisher(
      outputPlan({
        open: opening => {
          openings.add(opening)
          return sink.publisher()
        },
      }),
    )
    await shell.send(messages('a'), never).catch(() => {})
    await supervisor.whenAllReady()
    expect(sink.opened).toBe(2)
    expect(openings.size).toBe(1)
  })

  it('builds an endpoint that is made of others once, and reopens only the part that was lost', async () => {
    const left = new TestSink()
    const right = new TestSink((_batch, call) => {
      if (call === 0) throw lost
      return ALL_ACKED
    })
    const branches = [
      outputPlan({ open: left.publisher, path: 'r.output.both[0].test' }),
      outputPlan({ open: right.publisher, path: 'r.output.both[1].test' }),
    ]
    let built = 0
    const both = outputPlan({
      structural: true,
      children: branches,
      path: 'r.output.both',
      open: async opening => {
        built += 1
        const inner = await Promise.all(branches.map((plan, at) => plan.open(opening.child(`[${at}]`))))
        return {
          send: async (batch, signal) => {
            for (const branch of inner) await branch.send(batch, signal)
            return ALL_ACKED
          },
          flush: async () => {},
          status: () => ({ healthy: true, target: 'both' }),
          close: async () => {
            await Promise.all(inner.map(branch => branch.close()))
          },
        }
      },
    })
    const { publisher, supervisor } = bench(testClock())
    const chain = await publisher(both)
    await expect(chain.send(messages('a'), never)).rejects.toMatchObject({
      kind: 'connection',
      where: 'r.output.both[1].test',
    })
    await supervisor.whenAllReady()
    expect(await chain.send(messages('a'), never)).toBe(ALL_ACKED)
    expect([built, left.opened, right.opened]).toEqual([1, 1, 2])
    await chain.close()
    expect([left.open, right.open]).toEqual([0, 0])
  })
})
