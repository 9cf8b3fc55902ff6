import { ALL_ACKED, ack, EndOfStream, failure, Message, MqbError, type Outcome } from '@mqb/core'
import { createFakeClock, createTestOpening, payloadTexts, type TestOpeningOptions } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { staticConfig } from '../src/static/config.ts'
import { staticEndpoint } from '../src/static/static.ts'

const never = new AbortController().signal
const limit = { messages: 3, bytes: 1 << 20 }

const publisher = (config: unknown, options: TestOpeningOptions = {}) =>
  staticEndpoint.openPublisher!(staticConfig.parse(config), createTestOpening(options))
const consumer = (config: unknown, options: TestOpeningOptions = {}) =>
  staticEndpoint.openConsumer!(staticConfig.parse(config), createTestOpening({ side: 'input', ...options }))

async function answer(config: unknown, request: Message, options: TestOpeningOptions = {}): Promise<Message> {
  const outcomes = (await (await publisher(config, options)).send([request], never)) as readonly Outcome[]
  const [outcome] = outcomes
  if (outcome?.kind !== 'reply') throw new Error('no reply')
  return outcome.message
}

describe('static as an output', () => {
  it('answers with the text as JSON, in the short form', async () => {
    const request = new Message('question', { a: 'b', 'mqb.src.x': 'y' })
    const response = await answer('OK', request)
    expect(response.text()).toBe('"OK"')
    expect(response.id).toBe(request.id)
    expect(response.metadata).toEqual({})
  })

  it('sends a raw body byte for byte, with its metadata', async () => {
    const config = { body: '{"status":"ok"}', raw: true, metadata: { 'content-type': 'application/json' } }
    const response = await answer(config, new Message('x'))
    expect(response.text()).toBe('{"status":"ok"}')
    expect(response.metadata).toEqual({ 'content-type': 'application/json' })
  })

  it('fills tokens from the request and the clock', async () => {
    const request = new Message('{"id":7}', { user: 'ann' })
    const body =
      '${payload:id} ${metadata:user} ${message:id} ${gen:now} $${literal} ${unknown:x} [${metadata:none}]'
    const response = await answer({ body, raw: true }, request, { clock: createFakeClock(0) })
    expect(response.text()).toBe(`7 ann ${request.id} 1970-01-01T00:00:00.000Z \${literal} \${unknown:x} []`)
  })

  it('counts per endpoint', async () => {
    const output = await publisher({ body: '${gen:counter}', raw: true })
    const outcomes = (await output.send([new Message('a'), new Message('b')], never)) as readonly Outcome[]
    expect(outcomes.map(outcome => outcome.kind === 'reply' && outcome.message.text())).toEqual(['0', '1'])
  })

  it.each(['application/json', 'application/problem+json; charset=utf-8', 'Text/JSON'])(
    'escapes values for JSON under content-type %s',
    async type => {
      const request = new Message('x', { name: 'a"b\\c' })
      const metadata = { 'Content-Type': type }
      const escaped = await answer({ body: '{"n":"${metadata:name}"}', raw: true, metadata }, request)
      expect(escaped.json()).toEqual({ n: 'a"b\\c' })
      const verbatim = await answer(
        { body: '{"n":${metadata:name | raw}}', raw: true, metadata },
        new Message('x', { name: '[1]' }),
      )
      expect(verbatim.json()).toEqual({ n: [1] })
    },
  )

  it('does not escape values in other content', async () => {
    const request = new Message('x', { name: 'a"b' })
    expect((await answer({ body: '<${metadata:name}>', raw: true }, request)).text()).toBe('<a"b>')
  })

  it('makes one JSON text of a body that is not raw, whatever the values hold', async () => {
    const request = new Message('x', { name: 'a"b\n' })
    expect((await answer('hi ${metadata:name}', request)).json()).toBe('hi a"b\n')
    const metadata = { 'content-type': 'application/json' }
    expect((await answer({ body: 'hi ${metadata:name}', metadata }, request)).json()).toBe('hi a"b\n')
  })

  it('refuses a malformed token and unknown keys when the configuration is read', () => {
    expect(staticConfig.safeParse('${payload:').success).toBe(false)
    expect(staticConfig.safeParse({ body: 'x', bodi: 'y' }).success).toBe(false)
    expect(staticConfig.safeParse({}).success).toBe(false)
  })

  it('can be closed twice and rejects afterwards', async () => {
    const output = await publisher('OK')
    await output.close()
    await output.close()
    await expect(output.send([new Message('a')], never)).rejects.toMatchObject({ code: 'MQB_CLOSED' })
  })
})

describe('static as an input', () => {
  it('goes on without end', async () => {
    const input = await consumer({ body: '${gen:counter}', raw: true })
    const first = await input.receive(limit, never)
    await first.commit(ALL_ACKED)
    const second = await input.receive(limit, never)
    expect(payloadTexts([...first.messages, ...second.messages])).toEqual(['0', '1', '2', '3', '4', '5'])
    expect(new Set([...first.messages, ...second.messages].map(message => message.id)).size).toBe(6)
  })

  it('hands out one batch and ends in a drain', async () => {
    const input = await consumer('x', { drain: true })
    const batch = await input.receive(limit, never)
    expect(payloadTexts(batch.messages)).toEqual(['"x"', '"x"', '"x"'])
    await batch.commit(ALL_ACKED)
    await expect(input.receive(limit, never)).rejects.toSatisfy(EndOfStream.is)
    await expect(input.receive(limit, never)).rejects.toSatisfy(EndOfStream.is)
  })

  it('hands out again what failed for now, also in a drain', async () => {
    const input = await consumer({ body: '${gen:counter}', raw: true }, { drain: true })
    const batch = await input.receive(limit, never)
    const busy = failure(new MqbError({ kind: 'retryable', code: 'X', what: 'busy' }))
    const bad = failure(new MqbError({ kind: 'permanent', code: 'X', what: 'bad' }))
    await batch.commit([ack(), busy, bad])
    const again = await input.receive(limit, never)
    expect(payloadTexts(again.messages)).toEqual(['1'])
    expect(again.messages[0]?.id).toBe(batch.messages[1]?.id)
  })

  it('keeps to the limits with what comes again', async () => {
    const input = await consumer({ body: 'abcd', raw: true })
    const batch = await input.receive(limit, never)
    const busy = failure(new MqbError({ kind: 'retryable', code: 'X', what: 'busy' }))
    await batch.commit([busy, busy, busy])
    expect((await input.receive({ messages: 100, bytes: 7 }, never)).messages).toHaveLength(2)
    expect((await input.receive({ messages: 100, bytes: 7 }, never)).messages).toHaveLength(1)
  })

  it('keeps to the limits', async () => {
    const input = await consumer({ body: 'abcd', raw: true })
    expect((await input.receive({ messages: 100, bytes: 7 }, never)).messages).toHaveLength(2)
    expect((await input.receive({ messages: 100, bytes: 1 }, never)).messages).toHaveLength(1)
    expect((await input.receive({ messages: 0, bytes: 1 }, never)).messages).toHaveLength(0)
  })

  it('stops at its signal and lets other things run between batches', async () => {
    const input = await consumer('x')
    const stop = new AbortController()
    setImmediate(() => stop.abort(new Error('stopped')))
    const loop = async (): Promise<void> => {
      for (;;) await (await input.receive(limit, stop.signal)).commit(ALL_ACKED)
    }
    await expect(loop()).rejects.toThrow('stopped')
  })

  it('rejects a receive that is under way when it is closed or told to stop', async () => {
    const input = await consumer('x')
    const stop = new AbortController()
    const stopped = input.receive(limit, stop.signal)
    stop.abort(new Error('stopped'))
    await expect(stopped).rejects.toThrow('stopped')
    const closed = input.receive(limit, never)
    await input.close()
    await expect(closed).rejects.toMatchObject({ code: 'MQB_CLOSED' })
  })

  it('rejects after close', async () => {
    const input = await consumer('x')
    const batch = await input.receive(limit, never)
    await input.close()
    await expect(input.receive(limit, never)).rejects.toMatchObject({ code: 'MQB_CLOSED' })
    await expect(batch.commit(ALL_ACKED)).rejects.toMatchObject({ code: 'MQB_CLOSED' })
  })
})
