import { ack, type Message, MqbError, outcomeAt, outcomeList } from '@mqb/core'
import { describe, expect, it } from 'vitest'
import {
  consumerPlan,
  createFakeClock,
  createRecordingLogger,
  createReferenceStores,
  createSystemClock,
  createTestOpening,
  createTestSecrets,
  numberedMessages,
  payloadTexts,
  publisherPlan,
  scriptedConsumer,
  scriptedPublisher,
  slabMessages,
  textMessages,
} from '../src/index.ts'

const signal = (): AbortSignal => new AbortController().signal
const wide = { messages: 100, bytes: 1_000_000 }

describe('the fake clock', () => {
  it('fires timers in the order of their time, and of their start at the same time', async () => {
    const clock = createFakeClock(1_000)
    const fired: string[] = []
    clock.timer(20, () => fired.push('late'))
    clock.timer(10, () => fired.push(`first at ${clock.monotonic()}`))
    clock.timer(10, () => fired.push('second'))
    await clock.advance(15)
    expect(fired).toEqual(['first at 10', 'second'])
    expect(clock.now()).toBe(1_015)
    expect(clock.dueIn).toEqual([5])
    await clock.advance(5)
    expect(fired).toContain('late')
  })

  it('fires within one advance what woken code starts', async () => {
    const clock = createFakeClock()
    const times: number[] = []
    const loop = (async () => {
      for (let round = 0; round < 3; round++) {
        await clock.sleep(10)
        times.push(clock.monotonic())
      }
    })()
    await clock.advance(30)
    await loop
    expect(times).toEqual([10, 20, 30])
  })

  it('forgets cancelled timers and aborted sleeps', async () => {
    const clock = createFakeClock()
    const cancel = clock.timer(10, () => expect.unreachable())
    const stop = new AbortController()
    const sleep = clock.sleep(10, stop.signal)
    expect(clock.pending).toBe(2)
    cancel()
    stop.abort(new Error('enough'))
    await expect(sleep).rejects.toThrow('enough')
    expect(clock.pending).toBe(0)
    await expect(clock.sleep(1, stop.signal)).rejects.toThrow('enough')
    await clock.advance(100)
  })

  it('waits for code that is about to wait', async () => {
    const clock = createFakeClock()
    setImmediate(() => clock.timer(5, () => {}))
    await clock.waitForTimers()
    expect(clock.pending).toBe(1)
    await expect(clock.advance(-1)).rejects.toThrow(TypeError)
  })
})

describe('the system clock', () => {
  it('counts what still waits', async () => {
    const clock = createSystemClock()
    const cancel = clock.timer(10_000, () => {})
    const sleep = clock.sleep(1)
    expect(clock.pending).toBe(2)
    await sleep
    cancel()
    expect(clock.pending).toBe(0)
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000)
  })

  it('ends a sleep that is aborted', async () => {
    const clock = createSystemClock()
    const stop = new AbortController()
    const sleep = clock.sleep(10_000, stop.signal)
    stop.abort(new Error('enough'))
    await expect(sleep).rejects.toThrow('enough')
    expect(clock.pending).toBe(0)
  })
})

describe('the recording logger', () => {
  it('keeps lines with the fields and targets of its children', () => {
    const log = createRecordingLogger('info')
    log.child('route', { route: 'orders' }).child('output', { n: 1 }).warn('slow', { n: 2 })
    log.debug('not kept')
    expect(log.lines).toEqual([
      { level: 'warn', target: 'route.output', text: 'slow', fields: { route: 'orders', n: 2 } },
    ])
    expect(log.find('warn', 'slo')).toHaveLength(1)
    expect(log.isEnabled('debug')).toBe(false)
    log.clear()
    expect(log.lines).toEqual([])
  })
})

describe('test secrets', () => {
  it('hide values in every encoding, and passwords of URLs, but not short values', () => {
    const secrets = createTestSecrets()
    secrets.add('pa ss/word')
    secrets.add('abc')
    for (const text of [
      'pa ss/word',
      encodeURIComponent('pa ss/word'),
      Buffer.from('pa ss/word').toString('base64'),
      Buffer.from('pa ss/word').toString('base64url'),
    ])
      expect(secrets.scrub(`before ${text} after`)).toBe('before *** after')
    expect(secrets.scrub('abc nats://user:hidden@host/x')).toBe('abc nats://user:***@host/x')
  })
})

describe('a test opening', () => {
  it('gives children a longer path and shares the rest', () => {
    const clock = createFakeClock()
    const opening = createTestOpening({ route: 'orders', clock, batchSize: 7 })
    const child = opening.child('dlq', 'input')
    child.counters.add('sent', 2)
    child.counters.add('sent')
    child.log.info('hello')
    expect(child).toMatchObject({ route: 'orders', path: 'orders.output.dlq', side: 'input', batchSize: 7 })
    expect(child.clock).toBe(clock)
    expect(opening.children).toEqual([child])
    expect(child.counted).toEqual({ sent: 3 })
    expect(opening.counted).toEqual({})
    expect(opening.log.lines).toHaveLength(1)
  })

  it('opens nested plans with the middlewares in the order of the configuration', async () => {
    const stamp = (name: string) => ({
      kind: name,
      path: name,
      config: name,
      definition: {
        summary: name,
        config: { type: 'object' },
        examples: [],
        wrapPublisher: (inner: ReturnType<typeof scriptedPublisher>) => ({
          ...inner,
          status: () => ({ ...inner.status(), target: `${name}(${inner.status().target})` }),
        }),
        wrapConsumer: (inner: ReturnType<typeof scriptedConsumer>) => ({
          ...inner,
          status: () => ({ ...inner.status(), target: `${name}(${inner.status().target})` }),
        }),
      },
    })
    const middlewares = [stamp('a'), stamp('b')] as never
    const opening = createTestOpening()
    const output = await publisherPlan(scriptedPublisher(), { middlewares }).open(opening.child('x'))
    expect(output.status().target).toBe('b(a(scripted))')
    const input = await consumerPlan(scriptedConsumer([]), { middlewares }).open(opening.child('y', 'input'))
    expect(input.status().target).toBe('a(b(scripted))')
  })

  it('opens the stores that it was given, and says how to give others', async () => {
    const opening = createTestOpening({ stores: { reference: createReferenceStores() } })
    const store = await opening.openStore('checkpoint', 'reference://x')
    await store.save('a', { value: '1', source: 's', updatedMs: 1 })
    expect((await store.load('a'))?.value).toBe('1')
    await expect(opening.openStore('dedup', 'redis://x')).rejects.toThrow(/stores/)
  })
})

describe('a scripted publisher', () => {
  it('answers by position and remembers calls', async () => {
    const publisher = scriptedPublisher(['ack', 'permanent', { reply: 'r' }, ack('duplicate')])
    const messages = textMessages('a', 'b', 'c', 'd', 'e')
    const outcomes = outcomeList(await publisher.send(messages, signal()), 5)
    expect(outcomes.map(outcome => outcome.kind)).toEqual(['ack', 'failure', 'reply', 'ack', 'ack'])
    const answer = outcomes[2]!
    expect(answer.kind === 'reply' && answer.message.id).toBe(messages[2]!.id)
    expect(payloadTexts(publisher.delivered)).toEqual(['a', 'c', 'd', 'e'])
    expect(publisher.calls).toHaveLength(1)
  })

  it('answers by attempt', async () => {
    const publisher = scriptedPublisher((_, attempt) => (attempt < 3 ? 'retryable' : 'ack'))
    const [message] = textMessages('a') as [Message]
    const kinds: string[] = []
    for (let attempt = 0; attempt < 3; attempt++)
      kinds.push(outcomeAt(await publisher.send([message], signal()), 0).kind)
    expect(kinds).toEqual(['failure', 'failure', 'ack'])
  })

  it('throws what it is told, delays by the clock, and never answers', async () => {
    const clock = createFakeClock()
    const publisher = scriptedPublisher(
      [{ throws: undefined }, { afterMs: 50, answer: 'ack' }, 'never'],
      clock,
    )
    await expect(publisher.send(textMessages('a'), signal())).rejects.toBeUndefined()
    const delayed = publisher.send(textMessages('b'), signal())
    await clock.advance(49)
    expect(publisher.running).toBe(1)
    await clock.advance(1)
    await delayed
    publisher.send(textMessages('c'), signal())
    await clock.advance(1_000_000)
    expect(publisher.running).toBe(1)
    await publisher.close()
    await expect(publisher.send(textMessages('d'), signal())).rejects.toMatchObject({ code: 'MQB_CLOSED' })
  })
})

describe('a scripted consumer', () => {
  it('hands out batches within the limit and records commits', async () => {
    const consumer = scriptedConsumer([['a', 'b', 'c'], 'end', { throws: 7 }])
    const first = await consumer.receive({ messages: 2, bytes: 100 }, signal())
    expect(payloadTexts(first.messages)).toEqual(['a', 'b'])
    await first.commit([ack(), ack()])
    expect(payloadTexts((await consumer.receive({ messages: 9, bytes: 1 }, signal())).messages)).toEqual([
      'c',
    ])
    await expect(consumer.receive(wide, signal())).rejects.toThrow('ended')
    await expect(consumer.receive(wide, signal())).rejects.toBe(7)
    expect(consumer.commits).toHaveLength(1)
    await expect(first.commit([])).rejects.toThrow(TypeError)
  })

  it('keeps a delayed step when the receive is aborted', async () => {
    const clock = createFakeClock()
    const consumer = scriptedConsumer([{ afterMs: 10, step: ['a'] }], { clock })
    const stop = new AbortController()
    const waiting = consumer.receive(wide, stop.signal)
    stop.abort(new Error('stop'))
    await expect(waiting).rejects.toThrow('stop')
    const again = consumer.receive(wide, signal())
    await clock.advance(10)
    expect(payloadTexts((await again).messages)).toEqual(['a'])
  })

  it('waits after its script when told so, until it is closed', async () => {
    const consumer = scriptedConsumer([], { afterwards: 'wait' })
    const waiting = consumer.receive(wide, signal())
    await consumer.close()
    await expect(waiting).rejects.toMatchObject({ code: 'MQB_CLOSED' })
  })

  it('fails a commit when told so', async () => {
    const error = new MqbError({ kind: 'connection', code: 'MQB_X', what: 'gone' })
    const consumer = scriptedConsumer([['a']], {
      onCommit() {
        throw error
      },
    })
    const batch = await consumer.receive(wide, signal())
    await expect(batch.commit([ack()])).rejects.toBe(error)
  })
})

describe('message builders', () => {
  it('number, and cut out of one slab', () => {
    expect(payloadTexts(numberedMessages(2, 5))).toEqual(['{"n":"5"}', '{"n":"6"}'])
    const [first, second] = slabMessages('größe', 'b') as [Message, Message]
    expect(payloadTexts([first, second])).toEqual(['größe', 'b'])
    expect(first.bytes).toBe(second.bytes)
  })
})
