import { type Consumer, MqbError, type Outcome, type Publisher } from '@mqb/core'
import {
  createTestOpening,
  type Delivery,
  payloadTexts,
  scriptedConsumer,
  scriptedPublisher,
  textMessages,
} from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import plugin, { errorCodes, type RandomPanicConfig, randomPanicConfig } from '../src/index.ts'

const definition = plugin.middlewares!.random_panic!
const live = new AbortController().signal
const limit = { messages: 100, bytes: 1 << 20 }
const numbers = (count: number) =>
  textMessages(...Array.from({ length: count }, (_, index) => String(index + 1)))

async function output(config: Partial<RandomPanicConfig>, faultInjection = true) {
  const inner = scriptedPublisher()
  const opening = createTestOpening({ faultInjection, path: 'test.output' })
  const publisher: Publisher = await definition.wrapPublisher!(
    inner,
    randomPanicConfig.parse(config),
    opening,
  )
  return { inner, opening, publisher }
}

async function input(config: Partial<RandomPanicConfig>, script: readonly Delivery[], faultInjection = true) {
  const inner = scriptedConsumer(script)
  const opening = createTestOpening({ faultInjection, side: 'input' })
  const consumer: Consumer = await definition.wrapConsumer!(inner, randomPanicConfig.parse(config), opening)
  return { inner, opening, consumer }
}

const kinds = (outcomes: unknown): string[] =>
  (outcomes as readonly Outcome[]).map(outcome =>
    outcome.kind === 'failure' ? outcome.error.code : outcome.kind,
  )

/** `[kind, code]` of what was thrown; a plain error has none. */
async function thrownBy(call: Promise<unknown>): Promise<readonly (string | undefined)[]> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (MqbError.is(error)) return [error.kind, error.code]
  return [error instanceof Error ? error.message : undefined]
}

describe('random_panic on an output', () => {
  it('throws what its mode says, and sends nothing', async () => {
    for (const [mode, expected] of [
      ['panic', ['injected fault: panic']],
      ['disconnect', ['retryable', 'MQB_FAULT_DISCONNECT']],
      ['timeout', ['retryable', 'MQB_FAULT_TIMEOUT']],
    ] as const) {
      const { publisher, inner } = await output({ mode })
      expect(await thrownBy(publisher.send(numbers(2), live))).toEqual(expected)
      expect(inner.calls).toEqual([])
    }
  })

  it('answers every message of a call in the modes nack and json_format_error', async () => {
    for (const [mode, code] of [
      ['nack', 'MQB_FAULT_NACK'],
      ['json_format_error', 'MQB_FAULT_JSON'],
    ] as const) {
      const { publisher, inner } = await output({ mode })
      const outcomes = (await publisher.send(numbers(2), live)) as readonly Outcome[]
      expect(kinds(outcomes)).toEqual([code, code])
      expect(outcomes[0]?.kind === 'failure' && outcomes[0].error.kind).toBe(
        mode === 'nack' ? 'retryable' : 'permanent',
      )
      expect(inner.calls).toEqual([])
    }
  })

  it('faults every call without a trigger', async () => {
    const { publisher, opening } = await output({ mode: 'timeout' })
    for (let send = 0; send < 3; send++)
      expect(await thrownBy(publisher.send(numbers(1), live))).toEqual(['retryable', 'MQB_FAULT_TIMEOUT'])
    expect(opening.counted).toEqual({ faults: 3 })
  })

  it('faults the call with the triggering message, once, and lets it through when it comes again', async () => {
    const { publisher, inner } = await output({ mode: 'disconnect', trigger_on_message: 5 })
    await publisher.send(numbers(3), live)
    expect(await thrownBy(publisher.send(numbers(2), live))).toEqual(['retryable', 'MQB_FAULT_DISCONNECT'])
    await publisher.send(numbers(2), live)
    await publisher.send(numbers(9), live)
    expect(inner.calls.map(call => call.length)).toEqual([3, 2, 9])
  })

  it('fails only the triggering message as not JSON and sends the others', async () => {
    const { publisher, inner } = await output({ mode: 'json_format_error', trigger_on_message: 2 })
    expect(kinds(await publisher.send(numbers(3), live))).toEqual(['ack', 'MQB_FAULT_JSON', 'ack'])
    expect(payloadTexts(inner.delivered)).toEqual(['1', '3'])
    const alone = await output({ mode: 'json_format_error', trigger_on_message: 1 })
    expect(kinds(await alone.publisher.send(numbers(1), live))).toEqual(['MQB_FAULT_JSON'])
    expect(alone.inner.calls).toEqual([])
  })

  it('rejects as closed after close', async () => {
    const { publisher } = await output({ mode: 'panic' })
    await publisher.close()
    expect(await thrownBy(publisher.send(numbers(1), live))).toEqual(['connection', 'MQB_CLOSED'])
  })
})

describe('random_panic on an input', () => {
  it('throws what its mode says without asking the source', async () => {
    for (const [mode, expected] of [
      ['panic', ['injected fault: panic']],
      ['disconnect', ['connection', 'MQB_FAULT_DISCONNECT']],
      ['timeout', ['connection', 'MQB_FAULT_TIMEOUT']],
      ['nack', ['retryable', 'MQB_FAULT_NACK']],
    ] as const) {
      const { consumer, inner } = await input({ mode }, [['a']])
      expect(await thrownBy(consumer.receive(limit, live))).toEqual(expected)
      expect(inner.receives).toEqual([])
    }
  })

  it('hands out a message that is not JSON, whose commit tells no source', async () => {
    const { consumer, inner } = await input({ mode: 'json_format_error', trigger_on_message: 1 }, [['a']])
    const batch = await consumer.receive(limit, live)
    expect(() => batch.messages[0]!.json()).toThrow(SyntaxError)
    await expect(batch.commit([])).rejects.toThrow(TypeError)
    expect(inner.receives).toEqual([])
    expect(payloadTexts((await consumer.receive(limit, live)).messages)).toEqual(['a'])
  })

  it('meets exactly the triggering message, once, also when batches would go beyond it', async () => {
    const { consumer, inner } = await input({ mode: 'disconnect', trigger_on_message: 4 }, [numbers(10)])
    expect((await consumer.receive(limit, live)).messages).toHaveLength(3)
    expect(await thrownBy(consumer.receive(limit, live))).toEqual(['connection', 'MQB_FAULT_DISCONNECT'])
    expect(payloadTexts((await consumer.receive(limit, live)).messages)[0]).toBe('4')
    expect(inner.batches.flat()).toHaveLength(10)
  })

  it('stays a middleware that can be stopped, asked for nothing, and closed', async () => {
    const { consumer } = await input({ mode: 'json_format_error' }, [['a']])
    const reason = new Error('stop')
    await expect(consumer.receive(limit, AbortSignal.abort(reason))).rejects.toBe(reason)
    expect((await consumer.receive({ messages: 0, bytes: 1 }, live)).messages).toEqual([])
    const batch = await consumer.receive(limit, live)
    await consumer.close()
    await expect(batch.commit([])).rejects.toMatchObject({ code: 'MQB_CLOSED' })
    expect(await thrownBy(consumer.receive(limit, live))).toEqual(['connection', 'MQB_CLOSED'])
  })
})

describe('random_panic without permission', () => {
  it('does nothing but say so, where the route does not allow faults', async () => {
    const sent = await output({}, false)
    expect(sent.publisher).toBe(sent.inner)
    const received = await input({}, [], false)
    expect(received.consumer).toBe(received.inner)
    for (const { opening } of [sent, received])
      expect(opening.log.lines.map(line => [line.level, line.text])).toEqual([
        ['warn', 'random_panic does nothing: the route does not set allow_fault_injection: true'],
      ])
  })

  it('does nothing at all when it is switched off', async () => {
    const { publisher, inner, opening } = await output({ enabled: false })
    expect(publisher).toBe(inner)
    expect(opening.log.lines).toEqual([])
  })
})

describe('the random_panic plugin', () => {
  it('has the defaults of the reference', () => {
    expect(randomPanicConfig.parse({})).toEqual({ mode: 'panic', enabled: true })
    expect(randomPanicConfig.safeParse({ trigger_on_message: 0 }).success).toBe(false)
    expect(randomPanicConfig.safeParse({ mode: 'explode' }).success).toBe(false)
  })

  it('documents its error codes', () => {
    expect(Object.keys(errorCodes)).toHaveLength(4)
  })
})
