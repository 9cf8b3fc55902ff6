import { ack, failure, Message, MqbError, type Outcome, reply } from '@mqb/core'
import { createFakeClock, numberedMessages, textMessages } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { channel } from '../src/helpers.ts'
import { codeOf, freshTopic, openInput, openOutput, receive, send, settle } from './support/ends.ts'

const retryable = failure(new MqbError({ kind: 'retryable', code: 'X_BUSY', what: 'busy' }))
const permanent = failure(new MqbError({ kind: 'permanent', code: 'X_BAD', what: 'bad row' }))

/** Answers every request of a topic until the test ends. */
function answer(input: Awaited<ReturnType<typeof openInput>>, outcome: (message: Message) => Outcome): void {
  const loop = async (): Promise<void> => {
    for (;;) {
      const batch = await receive(input, 7)
      await batch.commit(batch.messages.map(outcome))
    }
  }
  loop().catch(() => undefined)
}

async function pair(options: Record<string, unknown> = {}, clock = createFakeClock()) {
  const topic = freshTopic()
  const output = await openOutput({ topic, request_reply: true, request_timeout_ms: 500 }, { clock })
  const input = await openInput({ topic, ...options }, { clock })
  return { topic, output, input, clock }
}

describe('request and reply', () => {
  it('gives each of 100 parallel requests its own reply, under the id of the request', async () => {
    const { output, input } = await pair()
    answer(input, message => reply(new Message(`re ${message.text()}`, { 'mqb.src.x': 'y', at: 'z' })))
    const requests = numberedMessages(100)
    const answers = await Promise.all(requests.map(request => send(output, [request])))
    for (const [index, [outcome]] of answers.map(list => list as readonly Outcome[]).entries()) {
      if (outcome?.kind !== 'reply') throw new Error('no reply')
      expect(outcome.message.text()).toBe(`re ${requests[index]!.text()}`)
      expect(outcome.message.id).toBe(requests[index]!.id)
      expect(outcome.message.metadata).toEqual({ at: 'z' })
    }
    expect(output.status().details).toEqual({ open_requests: 0, late_replies: 0 })
  })

  it('sends the messages of a call as requests of their own, side by side', async () => {
    const { topic, output, input } = await pair()
    const sending = send(output, textMessages('a', 'b', 'c'))
    await settle()
    expect(channel(topic).length()).toBe(3)
    const batches = [await receive(input, 1), await receive(input, 1), await receive(input, 1)]
    for (const batch of batches.reverse()) {
      await batch.commit(batch.messages.map(message => reply(new Message(message.text().toUpperCase()))))
    }
    const outcomes = (await sending) as readonly Outcome[]
    expect(outcomes.map(outcome => outcome.kind === 'reply' && outcome.message.text())).toEqual([
      'A',
      'B',
      'C',
    ])
  })

  it('adds a correlation_id where there is none, and keeps the one that is there', async () => {
    const { output, input } = await pair()
    const sending = send(output, [new Message('a'), new Message('b', { correlation_id: 'mine' })])
    const { messages, commit } = await receive(input)
    expect(messages[0]?.getMetadata('correlation_id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(messages[1]?.getMetadata('correlation_id')).toBe('mine')
    await commit([ack(), ack()])
    await sending
  })

  it('fails a request without a reply in time as retryable, and drops and counts the late reply', async () => {
    const { output, input, clock, topic } = await pair()
    const sending = send(output, textMessages('a'))
    const batch = await receive(input)
    await clock.advance(500)
    expect(await sending).toMatchObject([
      { kind: 'failure', error: { kind: 'retryable', code: 'MQB_MEMORY_REQUEST_TIMEOUT' } },
    ])
    await batch.commit([reply(new Message('late'))])
    expect(output.status().details).toEqual({ open_requests: 0, late_replies: 1 })
    expect(input.status().details).toEqual({ late_replies: 1 })
    expect(channel(topic).responses()).toEqual([])
    expect(clock.pending).toBe(0)
  })

  it('gives those that were answered in time their replies when others time out', async () => {
    const { output, input, clock } = await pair()
    const sending = send(output, textMessages('a', 'b'))
    const first = await receive(input, 1)
    await first.commit([reply(new Message('A'))])
    await clock.advance(500)
    expect(await sending).toMatchObject([{ kind: 'reply' }, { kind: 'failure' }])
  })

  it('does not hand the late reply of one request to another that uses its correlation_id', async () => {
    const { output, input, clock } = await pair()
    const request = (text: string) => [new Message(text, { correlation_id: 'same' })]
    const first = send(output, request('first'))
    const late = await receive(input)
    await clock.advance(500)
    await first
    const second = send(output, request('second'))
    const batch = await receive(input)
    await late.commit([reply(new Message('for the first'))])
    await batch.commit([reply(new Message('for the second'))])
    const [outcome] = (await second) as readonly Outcome[]
    expect(outcome?.kind === 'reply' && outcome.message.text()).toBe('for the second')
    expect(output.status().details).toMatchObject({ late_replies: 1 })
  })

  it('refuses a correlation_id that is in use', async () => {
    const { output, input } = await pair()
    const sending = send(output, [
      new Message('a', { correlation_id: 'x' }),
      new Message('b', { correlation_id: 'x' }),
    ])
    const batch = await receive(input)
    expect(batch.messages).toHaveLength(1)
    await batch.commit([reply(new Message('A'))])
    expect(await sending).toMatchObject([
      { kind: 'reply' },
      { kind: 'failure', error: { kind: 'permanent', code: 'MQB_MEMORY_DUPLICATE_CORRELATION_ID' } },
    ])
  })

  it('frees the id when the caller leaves', async () => {
    const { output, input, clock } = await pair()
    const caller = new AbortController()
    const request = [new Message('a', { correlation_id: 'x' })]
    const sending = output.send(request, caller.signal)
    caller.abort(new Error('caller left'))
    await expect(sending).rejects.toThrow('caller left')
    expect(output.status().details).toMatchObject({ open_requests: 0 })
    expect(clock.pending).toBe(0)
    await receive(input)
    answer(input, () => reply(new Message('A')))
    expect(await send(output, request)).toMatchObject([{ kind: 'reply' }])
  })

  it('frees the ids when the output closes', async () => {
    const { output, clock } = await pair()
    const sending = codeOf(send(output, textMessages('a')))
    await output.close()
    expect(await sending).toBe('MQB_CLOSED')
    expect(clock.pending).toBe(0)
  })

  it('counts the wait for a place in the topic as part of the limit', async () => {
    const clock = createFakeClock()
    const topic = freshTopic()
    const output = await openOutput(
      { topic, capacity: 1, request_reply: true, request_timeout_ms: 500 },
      { clock },
    )
    const sending = send(output, textMessages('a', 'b'))
    await clock.advance(500)
    expect(await sending).toMatchObject([{ kind: 'failure' }, { kind: 'failure' }])
    expect(channel(topic).drain()).toHaveLength(1)
  })

  it('tells the caller when the request failed for good, with the cause', async () => {
    const { output, input } = await pair()
    answer(input, () => permanent)
    expect(await send(output, textMessages('a'))).toMatchObject([
      {
        kind: 'failure',
        error: { kind: 'permanent', code: 'MQB_MEMORY_REQUEST_FAILED', cause: { code: 'X_BAD' } },
      },
    ])
  })

  it('tells the caller when the request failed for now and does not come again', async () => {
    const { output, input } = await pair()
    answer(input, () => retryable)
    expect(await send(output, textMessages('a'))).toMatchObject([
      { kind: 'failure', error: { kind: 'retryable', code: 'MQB_MEMORY_REQUEST_NACKED' } },
    ])
  })

  it('goes on waiting when the request is redelivered', async () => {
    const { output, input } = await pair({ enable_nack: true })
    let tries = 0
    answer(input, () => (++tries < 3 ? retryable : reply(new Message('A'))))
    expect(await send(output, textMessages('a'))).toMatchObject([{ kind: 'reply' }])
    expect(tries).toBe(3)
  })

  it('acks a request that was taken and will not be answered', async () => {
    const { output, input } = await pair()
    answer(input, () => ack('handled'))
    expect(await send(output, textMessages('a'))).toEqual([ack('delivered')])
  })

  it('keeps replies that nobody asked for, the newest hundred', async () => {
    const topic = freshTopic()
    const input = await openInput({ topic })
    await channel(topic).fill(numberedMessages(130))
    const { messages, commit } = await receive(input)
    await commit(messages.map(message => reply(new Message(`re ${message.text()}`))))
    expect(input.status().details).toEqual({ dropped_responses: 30 })
    const kept = channel(topic).responses()
    expect(kept).toHaveLength(100)
    expect(kept[99]?.text()).toBe('re {"n":"129"}')
    expect(kept[99]?.id).toBe(messages[129]?.id)
  })

  it('has no effect on an event store', async () => {
    const topic = freshTopic()
    const output = await openOutput({ topic, request_reply: true, subscribe_mode: true })
    await expect(send(output, textMessages('a'))).resolves.toSatisfy(outcomes => typeof outcomes === 'symbol')
  })
})
