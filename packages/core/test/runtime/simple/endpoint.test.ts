import {
  ALL_ACKED,
  type Consumer,
  failure,
  Message,
  MqbError,
  type Opening,
  type Publisher,
  reply,
} from '@mqb/core'
import { describe, expect, it } from 'vitest'
import { SimpleConsumer } from '../../../src/runtime/simple/consumer.ts'
import type { SimpleEndpoint, SimpleOutcome } from '../../../src/runtime/simple/index.ts'
import { simpleEndpoint } from '../../../src/runtime/simple/index.ts'
import { SimplePublisher } from '../../../src/runtime/simple/publisher.ts'
import { settle, testClock } from '../support/clock.ts'
import { testLog } from '../support/log.ts'

const never = new AbortController().signal
const many = { messages: 100, bytes: 1 << 20 }

function consumer(endpoint: SimpleEndpoint, options: { drain?: boolean; replies?: boolean } = {}) {
  const clock = testClock()
  const log = testLog()
  const opening = {
    clock,
    log,
    path: 'r.input',
    drain: options.drain ?? false,
    drainIdleMs: 1000,
  } as unknown as Opening
  const made: Consumer = new SimpleConsumer({
    target: 'custom x',
    endpoint,
    replies: options.replies ?? false,
    opening,
  })
  return { consumer: made, clock, log }
}

function publisher(endpoint: SimpleEndpoint): Publisher {
  const opening = { clock: testClock(), log: testLog(), path: 'r.output' } as unknown as Opening
  return new SimplePublisher({ target: 'custom x', endpoint, opening })
}

describe('a receive that stops waiting', () => {
  it('leaves what the endpoint brings later to the next receive', async () => {
    let bring: (items: string[]) => void = () => undefined
    let calls = 0
    const { consumer: input } = consumer({
      receiveBatch: () => {
        calls++
        return new Promise(resolve => {
          bring = resolve
        })
      },
    })
    const stop = new AbortController()
    const receiving = input.receive(many, stop.signal)
    stop.abort(new Error('stopped'))
    await expect(receiving).rejects.toThrow('stopped')
    bring(['a'])
    await settle()
    expect((await input.receive(many, never)).messages[0]?.text()).toBe('a')
    expect(calls).toBe(1)
  })

  it('hears of a failure that came meanwhile', async () => {
    let fail: (error: Error) => void = () => undefined
    const { consumer: input } = consumer({
      receiveBatch: () =>
        new Promise((_, reject) => {
          fail = reject
        }),
    })
    const stop = new AbortController()
    const receiving = input.receive(many, stop.signal)
    stop.abort(new Error('stopped'))
    await expect(receiving).rejects.toThrow('stopped')
    fail(new Error('gone'))
    await settle()
    await expect(input.receive(many, never)).rejects.toMatchObject({ kind: 'connection' })
  })

  it('answers a drain after the silence, also when the endpoint never does', async () => {
    const { consumer: input, clock } = consumer(
      { receiveBatch: () => new Promise(() => undefined) },
      { drain: true },
    )
    const receiving = input.receive(many, never)
    await clock.advance(1000)
    expect((await receiving).messages).toEqual([])
    expect(clock.pending).toBe(0)
  })
})

describe('the limits of a receive', () => {
  it('cut what the endpoint returned, and one commit answers for all of it', async () => {
    const told: SimpleOutcome[][] = []
    const { consumer: input } = consumer({
      receiveBatch: () => ['aaaa', 'bbbb', 'cccc'],
      commit: outcomes => void told.push([...outcomes]),
    })
    const first = await input.receive({ messages: 100, bytes: 5 }, never)
    expect(first.messages.map(message => message.text())).toEqual(['aaaa', 'bbbb'])
    const second = await input.receive({ messages: 1, bytes: 100 }, never)
    await second.commit([failure(new MqbError({ kind: 'retryable', code: 'X', what: 'busy' }))])
    expect(told).toEqual([])
    await first.commit(ALL_ACKED)
    expect(told).toEqual([['ack', 'ack', 'nack']])
    expect((await input.receive({ messages: 0, bytes: 1 }, never)).messages).toEqual([])
  })
})

describe('a custom source whose callers wait', () => {
  it('is given replies and errors', async () => {
    const told: SimpleOutcome[][] = []
    const bad = new MqbError({ kind: 'permanent', code: 'X', what: 'bad' })
    const { consumer: input } = consumer(
      { receiveBatch: () => ['a', 'b'], commit: outcomes => void told.push([...outcomes]) },
      { replies: true },
    )
    const answer = new Message('re')
    await (await input.receive(many, never)).commit([reply(answer), failure(bad)])
    expect(told).toEqual([[answer, bad]])
  })
})

describe('closing', () => {
  it('tells the endpoint, ends a receive that waits, and rejects afterwards', async () => {
    let signalled = false
    let closed = 0
    const { consumer: input } = consumer({
      receiveBatch: (_max, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            signalled = true
            reject(signal.reason)
          })
        }),
      close: () => void closed++,
    })
    const receiving = input.receive(many, never)
    await input.close()
    await input.close()
    await expect(receiving).rejects.toMatchObject({ code: 'MQB_CLOSED' })
    expect([signalled, closed]).toEqual([true, 1])
    await expect(input.receive(many, never)).rejects.toMatchObject({ code: 'MQB_CLOSED' })
    expect(input.status().healthy).toBe(false)
  })

  it('does not wait for an endpoint that hangs, and only logs one that fails', async () => {
    const hanging = consumer({ receiveBatch: () => null, close: () => new Promise(() => undefined) })
    const closing = hanging.consumer.close()
    await hanging.clock.advance(4000)
    await closing
    expect(hanging.log.lines.map(line => line.level)).toEqual(['warn'])
    const failing = consumer({
      receiveBatch: () => null,
      close: () => {
        throw new Error('broken')
      },
    })
    await failing.consumer.close()
    expect(failing.log.lines[0]?.text).toContain('broken')
    expect(failing.clock.pending).toBe(0)
  })

  it('rejects commits of batches that are open', async () => {
    const { consumer: input } = consumer({ receiveBatch: () => ['a'], commit: () => expect.unreachable() })
    const batch = await input.receive(many, never)
    await input.close()
    await expect(batch.commit(ALL_ACKED)).rejects.toMatchObject({ code: 'MQB_CLOSED' })
  })
})

describe('a custom sink', () => {
  it('answers per message: nothing, ack, nack, a reply, an error', async () => {
    const output = publisher({
      sendBatch: messages =>
        [
          undefined,
          'ack',
          'nack',
          new Message('re', { 'mqb.src.x': 'y' }),
          new Error('busy'),
          Object.assign(new Error('bad'), { retryable: false }),
          new MqbError({ kind: 'connection', code: 'X', what: 'gone' }),
          7 as never,
        ].slice(0, messages.length) as never,
    })
    const requests = Array.from({ length: 8 }, (_, index) => new Message(String(index)))
    const outcomes = await output.send(requests, never)
    expect(outcomes).toMatchObject([
      { kind: 'ack' },
      { kind: 'ack' },
      { kind: 'failure', error: { kind: 'retryable', code: 'MQB_CUSTOM_NACKED' } },
      { kind: 'reply', message: { id: requests[3]!.id, metadata: {} } },
      { kind: 'failure', error: { kind: 'retryable' } },
      { kind: 'failure', error: { kind: 'permanent' } },
      { kind: 'failure', error: { kind: 'connection', code: 'X' } },
      { kind: 'failure', error: { kind: 'retryable', code: 'MQB_CUSTOM_RESULT' } },
    ])
  })

  it('is not asked to send nothing, and not after close', async () => {
    const output = publisher({ sendBatch: () => expect.unreachable() })
    expect(await output.send([], never)).toBe(ALL_ACKED)
    await output.close()
    await expect(output.send([new Message('a')], never)).rejects.toMatchObject({ code: 'MQB_CLOSED' })
  })

  it('is flushed', async () => {
    let flushed = 0
    await publisher({ flush: () => void flushed++ }).flush()
    expect(flushed).toBe(1)
  })
})

describe('the status', () => {
  it('is that of the endpoint, with its own name where it says none', () => {
    expect(publisher({}).status()).toEqual({ healthy: true, target: 'custom x' })
    expect(publisher({ status: () => ({ pending: 3, healthy: false }) }).status()).toEqual({
      healthy: false,
      target: 'custom x',
      pending: 3,
    })
  })

  it('says so when the endpoint cannot tell', () => {
    const status = publisher({
      status: () => {
        throw new Error('no idea')
      },
    }).status()
    expect(status).toMatchObject({ healthy: false, error: 'status() failed: no idea' })
  })
})

describe('capabilities', () => {
  const of = (capabilities: object, side: 'input' | 'output') =>
    simpleEndpoint('x', () => ({}), { capabilities }).capabilities(undefined, side)

  it('promise little unless they are told', () => {
    expect(of({}, 'input')).toMatchObject({ acks: false, commitOrder: 'any', replies: 'no' })
    expect(of({}, 'output')).toMatchObject({ acks: true, orderedPublish: 'no', replies: 'depends' })
  })

  it('follow what they are told', () => {
    const all = { acks: true, ordered: true, replies: true }
    expect(of(all, 'input')).toMatchObject({ acks: true, commitOrder: 'ordered', replies: 'yes' })
    expect(of(all, 'output')).toMatchObject({ acks: true, orderedPublish: 'serial', replies: 'yes' })
    expect(of({ acks: false, replies: false }, 'output')).toMatchObject({ acks: false, replies: 'no' })
  })
})
