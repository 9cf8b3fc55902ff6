import {
  ack,
  failure,
  Message,
  MqbError,
  noCapabilities,
  type Outcome,
  type Outcomes,
  type Publisher,
  wrapPublisher,
} from '@mqb/core'
import {
  createFakeClock,
  createTestOpening,
  type PublisherScript,
  payloadTexts,
  publisherPlan,
  type ScriptedPublisher,
  scriptedPublisher,
  textMessages,
} from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { dlqPublisher } from '../src/dlq.ts'

const live = new AbortController().signal
const bad = new MqbError({ kind: 'permanent', code: 'MQB_BAD', what: 'field x must be int' })

async function setup(options: { output?: PublisherScript; inner?: Publisher; letters?: ScriptedPublisher }) {
  const clock = createFakeClock()
  const inner = options.inner ?? scriptedPublisher(options.output, clock)
  const letters = options.letters ?? scriptedPublisher([], clock)
  const opening = createTestOpening({
    clock,
    route: 'orders',
    path: 'orders.output.middlewares[1].dlq',
  })
  const endpoint = publisherPlan(letters, {
    capabilities: { ...noCapabilities, acks: true },
  })
  return { clock, inner, letters, opening, publisher: await dlqPublisher(inner, { endpoint }, opening) }
}

const list = (outcomes: Outcomes): readonly Outcome[] => outcomes as readonly Outcome[]

function described(outcomes: Outcomes): string[] {
  return list(outcomes).map(outcome =>
    outcome.kind === 'ack'
      ? outcome.as
      : outcome.kind === 'reply'
        ? `reply ${outcome.message.text()}`
        : `${outcome.error.kind} ${outcome.error.code}`,
  )
}

describe('dlq', () => {
  it('keeps permanent failures, one send for the batch, and passes everything else', async () => {
    const { publisher, letters, opening } = await setup({
      output: ['ack', failure(bad), 'retryable', { reply: 'fine' }, failure(bad), 'connection'],
    })
    const outcomes = await publisher.send(textMessages('a', 'b', 'c', 'd', 'e', 'f'), live)
    expect(described(outcomes)).toEqual([
      'delivered',
      'dead_lettered',
      'retryable MQB_SCRIPTED',
      'reply fine',
      'dead_lettered',
      'connection MQB_SCRIPTED',
    ])
    expect(letters.calls.map(payloadTexts)).toEqual([['b', 'e']])
    expect(opening.counted).toEqual({ dead_lettered: 2 })
  })

  it('does not touch its endpoint while nothing fails for good', async () => {
    const { publisher, letters } = await setup({ output: ['ack', 'retryable', 'connection'] })
    await publisher.send(textMessages('a', 'b', 'c'), live)
    expect(letters.calls).toEqual([])
  })

  it('keeps the whole call when it threw something permanent', async () => {
    const { publisher, letters } = await setup({ output: [{ throws: bad }] })
    expect(described(await publisher.send(textMessages('a', 'b'), live))).toEqual([
      'dead_lettered',
      'dead_lettered',
    ])
    expect(payloadTexts(letters.calls[0]!)).toEqual(['a', 'b'])
  })

  it('hands on what was thrown as connection, retryable or unknown', async () => {
    for (const thrown of [
      new MqbError({ kind: 'connection', code: 'X', what: 'reset' }),
      new MqbError({ kind: 'retryable', code: 'X', what: 'busy' }),
      new Error('bug'),
    ]) {
      const { publisher, letters } = await setup({ output: [{ throws: thrown }] })
      await expect(publisher.send(textMessages('a'), live)).rejects.toBe(thrown)
      expect(letters.calls).toEqual([])
    }
  })

  it('lets a reply of the dead-letter endpoint go to the caller', async () => {
    const { publisher } = await setup({
      output: ['permanent'],
      letters: scriptedPublisher([{ reply: 'parked' }]),
    })
    expect(described(await publisher.send(textMessages('a'), live))).toEqual(['reply parked'])
  })

  it('answers dead letters with an ack of its own reason, whatever reason the endpoint gives', async () => {
    const { publisher } = await setup({
      output: ['permanent'],
      letters: scriptedPublisher([ack('filtered')]),
    })
    expect(described(await publisher.send(textMessages('a'), live))).toEqual(['dead_lettered'])
  })

  for (const [answer, expected] of [
    ['permanent', 'retryable MQB_DLQ_FAILED'],
    ['retryable', 'retryable MQB_DLQ_FAILED'],
    ['connection', 'connection MQB_DLQ_FAILED'],
  ] as const) {
    it(`leaves a message ${expected.split(' ')[0]} when its dead letter fails as ${answer}`, async () => {
      const { publisher, opening } = await setup({
        output: ['ack', 'permanent', 'permanent'],
        letters: scriptedPublisher([answer, 'ack']),
      })
      expect(described(await publisher.send(textMessages('a', 'b', 'c'), live))).toEqual([
        'delivered',
        expected,
        'dead_lettered',
      ])
      expect(opening.counted).toEqual({ dead_lettered: 1 })
    })

    it(`leaves a message ${expected.split(' ')[0]} when the dead-letter send throws something ${answer}`, async () => {
      const thrown = new MqbError({ kind: answer, code: 'MQB_X', what: 'no' })
      const { publisher } = await setup({
        output: ['ack', 'permanent'],
        letters: scriptedPublisher([{ throws: thrown }]),
      })
      const outcomes = await publisher.send(textMessages('a', 'b'), live)
      expect(described(outcomes)).toEqual(['delivered', expected])
      const failed = list(outcomes)[1]
      expect(failed?.kind === 'failure' && failed.error.cause).toBe(thrown)
      expect(failed?.kind === 'failure' && failed.error.details).toEqual({ failure: 'MQB_SCRIPTED' })
    })
  }

  it('leaves messages retryable when the dead-letter endpoint throws undefined or answers too little', async () => {
    const short = wrapPublisher(scriptedPublisher(), { send: async () => [] })
    const silent = wrapPublisher(scriptedPublisher(), { send: () => Promise.reject(undefined) })
    for (const letters of [short, silent]) {
      const { publisher } = await setup({
        output: ['permanent'],
        letters: letters as ScriptedPublisher,
      })
      expect(described(await publisher.send(textMessages('a'), live))).toEqual(['retryable MQB_DLQ_FAILED'])
    }
  })

  it('writes no dead letter after the deadline: the messages count as returned', async () => {
    const deadline = new AbortController()
    const reason = new Error('deadline')
    const { publisher, letters } = await setup({
      output: () => {
        deadline.abort(reason)
        return 'permanent'
      },
    })
    await expect(publisher.send(textMessages('a'), deadline.signal)).rejects.toBe(reason)
    expect(letters.calls).toEqual([])
  })

  it('rejects with the deadline that passes while a dead letter is sent', async () => {
    const deadline = new AbortController()
    const reason = new Error('deadline')
    const letters = wrapPublisher(scriptedPublisher(), {
      send: () => {
        deadline.abort(reason)
        return Promise.reject(new Error('interrupted'))
      },
    })
    const { publisher } = await setup({ output: ['permanent'], letters: letters as ScriptedPublisher })
    await expect(publisher.send(textMessages('a'), deadline.signal)).rejects.toBe(reason)
  })

  it('writes at most one line a second, and the rest at close', async () => {
    const { publisher, opening, clock } = await setup({ output: () => failure(bad) })
    const lines = () => opening.log.find('warn').map(line => line.text)
    await publisher.send(textMessages('a'), live)
    for (let batch = 0; batch < 5; batch++) await publisher.send(textMessages('b', 'c'), live)
    expect(lines()).toEqual(['1 message was dead-lettered: field x must be int'])
    await clock.advance(1000)
    expect(lines()[1]).toBe('10 messages were dead-lettered: field x must be int')
    await publisher.send(textMessages('d'), live)
    await publisher.close()
    expect(lines()).toHaveLength(3)
    expect(clock.pending).toBe(0)
  })

  it('flushes, closes and shows both endpoints', async () => {
    const { publisher, inner, letters, opening } = await setup({})
    expect(opening.children.map(child => child.path)).toEqual(['orders.output.middlewares[1].dlq.endpoint'])
    await publisher.flush()
    expect([(inner as ScriptedPublisher).flushes, letters.flushes]).toEqual([1, 1])
    expect(publisher.status()).toMatchObject({ healthy: true, details: { dlq: { target: 'scripted' } } })
    await letters.close()
    expect(publisher.status().healthy).toBe(false)
    await publisher.close()
    await publisher.close()
    expect((inner as ScriptedPublisher).closes).toBe(2)
    await expect(publisher.send([new Message('a')], live)).rejects.toMatchObject({ code: 'MQB_CLOSED' })
  })
})
