import { ALL_ACKED, ack, failure, Message, MqbError, type Outcome, outcomeList, reply } from '@mqb/core'
import { describe, expect, it } from 'vitest'
import { TypeHandler } from '../../src/runtime/route/type-handler.ts'
import { settle } from './support/clock.ts'
import { testRun, texts } from './support/run.ts'
import { TestSink } from './support/sink.ts'
import { TestSource } from './support/source.ts'

const permanent = new MqbError({ kind: 'permanent', code: 'MQB_TEST_BAD', what: 'bad' })

function seenBy(source: TestSource): readonly Outcome[] {
  return source.commits.flatMap(({ texts, outcomes }) => outcomeList(outcomes, texts.length))
}

describe('a handler', () => {
  it('is called in order, and what it returns is published', async () => {
    const source = new TestSource(texts(25), { end: 'end' })
    const sink = new TestSink()
    const seen: string[] = []
    const { run } = testRun({
      source,
      sink,
      handler: async message => {
        await settle(1)
        seen.push(message.text())
        return message.derive(`${message.text()}!`)
      },
    })
    const { counts } = await run.join()
    expect(seen).toEqual(texts(25))
    expect(sink.delivered).toEqual(texts(25).map(text => `${text}!`))
    expect(counts).toMatchObject({ delivered: 25 })
  })

  it('ends a message by returning null or undefined', async () => {
    const source = new TestSource(texts(4), { end: 'end' })
    const sink = new TestSink()
    const { run } = testRun({
      source,
      sink,
      handler: message => (message.text() === 'm1' ? null : message.text() === 'm2' ? undefined : message),
    })
    const { counts } = await run.join()
    expect(sink.delivered).toEqual(['m0', 'm3'])
    expect(counts).toMatchObject({ delivered: 2, handled: 2 })
    expect(seenBy(source)).toEqual([ack(), ack('handled'), ack('handled'), ack()])
  })

  it('does not reach the output at all when nothing is left of a batch', async () => {
    const source = new TestSource(texts(4), { end: 'end' })
    const sink = new TestSink()
    const { run } = testRun({ source, sink, handler: () => null })
    expect((await run.join()).counts).toMatchObject({ handled: 4 })
    expect(sink.sends).toEqual([])
  })

  it.each([
    ['an MqbError by its kind', permanent, 'dropped'],
    ['retryable: false', Object.assign(new Error('no'), { retryable: false }), 'dropped'],
    ['retryable: true', Object.assign(new Error('later'), { retryable: true }), 'returned'],
    ['anything else', new Error('oops'), 'returned'],
    ['no error at all', undefined, 'returned'],
  ] as const)('fails only the message that it throws for: %s', async (_name, thrown, count) => {
    const source = new TestSource(texts(3), { end: 'end' })
    const sink = new TestSink()
    let calls = 0
    const { run, log } = testRun({
      source,
      sink,
      handler: message => {
        if (message.text() === 'm1' && calls++ === 0) throw thrown
        return message
      },
    })
    const { counts } = await run.join()
    expect(counts[count]).toBe(1)
    expect(sink.delivered).toEqual(count === 'dropped' ? ['m0', 'm2'] : ['m0', 'm2', 'm1'])
    expect(log.withCode('MQB_MESSAGE_DROPPED')).toHaveLength(count === 'dropped' ? 1 : 0)
  })

  it('that returns something else fails the message and says what is expected', async () => {
    const source = new TestSource(texts(1), { end: 'end' })
    const { run } = testRun({
      source,
      sink: new TestSink(),
      handler: () => {
        const wrong = Object.assign(new TypeError('x'), { retryable: false })
        if (source.commits.length > 5) throw wrong
        return 'text' as unknown as Message
      },
    })
    const done = run.join()
    while (source.commits.length < 2) await settle(1)
    await run.stop()
    await done
    expect(seenBy(source)[0]).toMatchObject({
      kind: 'failure',
      error: { kind: 'retryable', what: 'a handler returns a Message, null or undefined' },
    })
  })

  it('runs for several batches side by side', async () => {
    const source = new TestSource(texts(8), { end: 'end', maxBatch: 2 })
    let running = 0
    let most = 0
    const { run } = testRun({
      source,
      sink: new TestSink(),
      options: { concurrency: 3 },
      handler: async message => {
        most = Math.max(most, ++running)
        await settle(2)
        running -= 1
        return message
      },
    })
    await run.join()
    expect(most).toBe(3)
  })

  it('runs side by side while an ordered output still gets the batches in the order of the source', async () => {
    const source = new TestSource(texts(40), { end: 'end', maxBatch: 2 })
    const sink = new TestSink()
    const { run } = testRun({
      source,
      sink,
      output: { capabilities: { orderedPublish: 'serial' } },
      options: { concurrency: 8 },
      handler: async message => {
        await settle(1 + (Number(message.text().slice(1)) % 7))
        return message
      },
    })
    await run.join()
    expect(sink.delivered).toEqual(texts(40))
  })

  it('keeps what is behind a failed message from an ordered output', async () => {
    const source = new TestSource(texts(4), { end: 'end', ordered: true })
    const sink = new TestSink()
    let calls = 0
    const { run } = testRun({
      source,
      sink,
      input: { capabilities: { commitOrder: 'ordered' } },
      output: { capabilities: { orderedPublish: 'serial' } },
      handler: message => {
        if (message.text() === 'm1' && calls++ < 2) throw new Error('not yet')
        return message
      },
    })
    await run.join()
    expect(sink.delivered).toEqual(texts(4))
  })

  it('sends answers back under the id of the request', async () => {
    const source = new TestSource(texts(2), { end: 'end' })
    const sink = new TestSink(messages => messages.map(message => reply(message.derive('answer'))))
    const ids: string[] = []
    const { run } = testRun({
      source,
      sink,
      handler: message => {
        ids.push(message.id)
        return new Message('question')
      },
    })
    await run.join()
    const answers = seenBy(source).flatMap(outcome => (outcome.kind === 'reply' ? [outcome.message] : []))
    expect(answers.map(answer => answer.text())).toEqual(['answer', 'answer'])
    expect(answers.map(answer => answer.id)).toEqual(ids)
  })

  it('leaves the message as it was where it failed in the outcome', async () => {
    const source = new TestSource(texts(1), { end: 'end' })
    const sink = new TestSink(messages => messages.map(() => failure(permanent)))
    const { run } = testRun({ source, sink, handler: message => message.derive('changed') })
    await run.join()
    const [outcome] = seenBy(source)
    expect(outcome?.kind === 'failure' && outcome.message?.text()).toBe('changed')
  })
})

describe('typed handlers', () => {
  const typed = (kind: string, payload: string): Message => new Message(payload, { kind })

  it('choose by the metadata kind and get the parsed payload', () => {
    const handler = new TypeHandler()
      .add<{ n: number }>('add', ({ n }, { message }) => message.derive(String(n + 1)))
      .add('drop', () => null)
    const added = handler.handle(typed('add', '{"n":1}'))
    expect(added instanceof Promise || added?.text()).toBe('2')
    expect(handler.handle(typed('drop', '{}'))).toBe(null)
  })

  it('fail for good for an unknown kind, or leave it to the fallback', () => {
    const handler = new TypeHandler().add('a', () => null)
    expect(() => handler.handle(typed('b', '{}'))).toThrow(
      expect.objectContaining({ kind: 'permanent', code: 'MQB_HANDLER_UNKNOWN_KIND' }),
    )
    expect(() => handler.handle(new Message('{}'))).toThrow(expect.objectContaining({ kind: 'permanent' }))
    const message = typed('b', '{}')
    expect(handler.withFallback(given => given).handle(message)).toBe(message)
  })

  it('fail for good when the payload is not JSON', () => {
    const handler = new TypeHandler().add('a', () => null)
    expect(() => handler.handle(typed('a', '{'))).toThrow(
      expect.objectContaining({ kind: 'permanent', code: 'MQB_HANDLER_NOT_JSON' }),
    )
  })

  it('refuse a second handler for a kind', () => {
    expect(() => new TypeHandler().add('a', () => null).add('a', () => null)).toThrow(TypeError)
  })

  it('can look at another key', async () => {
    const handler = new TypeHandler('event').add('made', () => null)
    expect(await handler.handle(new Message('1', { event: 'made' }))).toBe(null)
  })
})

describe('without a handler', () => {
  it('one answer for all stays one on its way to the source', async () => {
    const source = new TestSource(texts(3), { end: 'end' })
    const { run } = testRun({ source, sink: new TestSink() })
    await run.join()
    expect(source.commits[0]?.outcomes).toBe(ALL_ACKED)
  })
})
