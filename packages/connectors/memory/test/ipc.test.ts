import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { ALL_ACKED, ack, failure, Message, MqbError } from '@mqb/core'
import { createFakeClock, numberedMessages, payloadTexts, textMessages } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { encodedSize, encodeFrame } from '../src/ipc/codec.ts'
import { heldTopics } from '../src/topics.ts'
import {
  codeOf,
  collect,
  openInput,
  openOutput,
  receive,
  rejection,
  send,
  settle,
  until,
} from './support/ends.ts'
import { scratchFolder, startChild } from './support/process.ts'

const retryable = failure(new MqbError({ kind: 'retryable', code: 'X_BUSY', what: 'busy' }))

const freshSocket = (): string => join(scratchFolder(), 'x.sock')
const frame = (...messages: Message[]): Buffer =>
  encodeFrame(
    messages,
    messages.reduce((sum, message) => sum + encodedSize(message), 0),
  )

/** A server that accepts and never reads. */
async function deafServer(path: string): Promise<void> {
  const server = createServer(socket => socket.pause())
  await new Promise<void>(resolve => server.listen(path, resolve))
  const { onTestFinished } = await import('vitest')
  onTestFinished(() => void server.close())
}

describe('a socket between processes', () => {
  it('carries 100000 messages in order, from a publisher that started first', async () => {
    const path = freshSocket()
    const publisher = startChild('publish', `ipc://${path}`, '100000', '500')
    await publisher.saying('no consumer yet')
    const input = await openInput({ topic: `ipc://${path}` })
    const messages = await collect(input, 100_000)
    await publisher.saying('sent')
    expect(messages.every((message, index) => message.text() === String(index))).toBe(true)
  })

  it('loses only what a killed consumer had not processed, and a new one takes over its socket', async () => {
    const path = freshSocket()
    const topic = `unix://${path}`
    const first = startChild('consume', topic)
    await first.saying('listening')
    const early = await openOutput({ topic })
    for (let from = 0; from < 2000; from += 20) await send(early, numberedTexts(20, from))
    await first.saying('500')
    first.process.kill('SIGKILL')
    expect(await first.done).toBe('SIGKILL')
    expect(existsSync(path)).toBe(true)
    await until(() => !early.status().healthy, 'the publisher sees the end of the consumer')
    expect(await codeOf(send(early, textMessages('x')))).toBe('MQB_MEMORY_IPC_LOST')

    const second = startChild('consume', topic)
    await second.saying('listening')
    const late = await openOutput({ topic })
    await send(late, numberedTexts(100, 2000))
    await second.saying('2099')

    const processed = [...first.lines(), ...second.lines()].filter(line => /^\d+$/.test(line)).map(Number)
    const before = processed.filter(number => number < 2000)
    // What is missing is one run at the end of what the first consumer got, and nothing came twice.
    expect(before).toEqual(before.map((_, index) => index))
    expect(before.length).toBeGreaterThan(500)
    expect(processed.slice(before.length)).toEqual(Array.from({ length: 100 }, (_, index) => 2000 + index))
  })
})

describe('a socket', () => {
  it('keeps id, metadata, empty and null payloads, and drops forged metadata of the hop', async () => {
    const topic = `ipc://${freshSocket()}`
    const input = await openInput({ topic })
    const output = await openOutput({ topic })
    const sent = [
      new Message('a', { ключ: 'значение', 'mqb.src.forged': 'x', ['__proto__']: 'y' }),
      new Message(''),
      new Message(null),
      new Message(Buffer.from([0xff, 0x00, 0xfe])),
    ]
    await send(output, sent)
    const { messages } = await receive(input)
    expect(messages.map(message => message.id)).toEqual(sent.map(message => message.id))
    expect(messages.map(message => message.isNull)).toEqual([false, false, true, false])
    expect(messages.map(message => message.payload)).toEqual(sent.map(message => message.payload))
    expect(messages[0]?.metadataPairs).toEqual(['ключ', 'значение', '__proto__', 'y'])
  })

  it('reads frames that come in single bytes', async () => {
    const path = freshSocket()
    const input = await openInput({ topic: `ipc://${path}` })
    const socket = connect(path)
    socket.setNoDelay(true)
    for (const byte of Buffer.concat([frame(new Message('one')), frame(new Message('two'))])) {
      await new Promise(resolve => socket.write(Buffer.of(byte), resolve))
    }
    expect(payloadTexts(await collect(input, 2))).toEqual(['one', 'two'])
    socket.destroy()
  })

  it('reads several connections in turn', async () => {
    const topic = `ipc://${freshSocket()}`
    const input = await openInput({ topic, capacity: 1 })
    const outputs = [await openOutput({ topic }), await openOutput({ topic })]
    for (const [index, output] of outputs.entries()) {
      for (let frames = 0; frames < 10; frames++) await send(output, textMessages(String(index)))
    }
    await until(() => input.status().details?.connections === 2, 'both are connected')
    await settle()
    const order = payloadTexts(await collect(input, 20, 1)).join('')
    expect(order).toContain('01010101')
    expect(order.replaceAll('0', '')).toHaveLength(10)
  })

  it('bounds the buffer of the consumer and loses nothing while it does not read', async () => {
    const topic = `ipc://${freshSocket()}`
    const input = await openInput({ topic, capacity: 3 })
    const output = await openOutput({ topic })
    for (let from = 0; from < 50; from++) await send(output, textMessages(String(from)))
    await until(() => input.status().pending === 3, 'the buffer is full')
    expect(payloadTexts(await collect(input, 50))).toEqual(
      Array.from({ length: 50 }, (_, index) => String(index)),
    )
  })

  it('warns once when the consumer has not read for 5 s, and sends when it reads again', async () => {
    const clock = createFakeClock()
    const topic = `ipc://${freshSocket()}`
    const input = await openInput({ topic, capacity: 1 })
    const output = await openOutput({ topic }, { clock })
    const sends = Array.from({ length: 4 }, () => send(output, [new Message(Buffer.alloc(4_000_000))]))
    await until(() => clock.pending > 0 && Number(output.status().details?.unsent_bytes) > 0, 'it is blocked')
    await settle()
    await clock.advance(6000)
    expect(output.opening.log.find('warn')).toMatchObject([{ fields: { code: 'MQB_MEMORY_IPC_BLOCKED' } }])
    expect(output.status().healthy).toBe(false)
    expect(await collect(input, 4)).toHaveLength(4)
    await Promise.all(sends)
    expect(output.status().healthy).toBe(true)
    expect(output.opening.log.find('warn')).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })

  it('refuses a message of 101 MB for good and sends the others', async () => {
    const topic = `ipc://${freshSocket()}`
    const input = await openInput({ topic })
    const output = await openOutput({ topic })
    const outcomes = await send(output, [
      new Message('a'),
      new Message(Buffer.alloc(101 * 1024 * 1024)),
      new Message('b'),
    ])
    expect(outcomes).toMatchObject([
      { kind: 'ack' },
      { kind: 'failure', error: { kind: 'permanent', code: 'MQB_MEMORY_IPC_TOO_LARGE' } },
      { kind: 'ack' },
    ])
    expect(payloadTexts(await collect(input, 2))).toEqual(['a', 'b'])
  })

  it('sends a batch above the limit in several frames', async () => {
    const topic = `ipc://${freshSocket()}`
    const input = await openInput({ topic })
    const output = await openOutput({ topic })
    const payload = Buffer.alloc(30 * 1024 * 1024)
    const sending = send(
      output,
      [1, 2, 3, 4].map(() => new Message(payload)),
    )
    const messages = await collect(input, 4)
    expect(await sending).toBe(ALL_ACKED)
    expect(messages.map(message => message.byteLength)).toEqual([1, 2, 3, 4].map(() => payload.length))
  })

  it('closes a connection that claims a frame above the limit, or sends no frames', async () => {
    const path = freshSocket()
    const input = await openInput({ topic: `ipc://${path}` })
    for (const bytes of [Buffer.from([0x06, 0x40, 0x00, 0x01]), Buffer.from([0, 0, 0, 1, 0xc3])]) {
      const socket = connect(path)
      const closed = new Promise(resolve => socket.once('close', resolve))
      socket.write(bytes)
      socket.resume()
      await closed
    }
    expect(input.opening.log.find('error')).toHaveLength(2)
    const output = await openOutput({ topic: `ipc://${path}` })
    await send(output, textMessages('still works'))
    expect(payloadTexts(await collect(input, 1))).toEqual(['still works'])
  })

  it('drops a frame that ends in the middle, with a warning, and keeps listening', async () => {
    const path = freshSocket()
    const input = await openInput({ topic: `ipc://${path}` })
    const socket = connect(path)
    const bytes = Buffer.concat([frame(new Message('whole')), frame(new Message('cut'))])
    socket.end(bytes.subarray(0, bytes.length - 2))
    expect(payloadTexts(await collect(input, 1))).toEqual(['whole'])
    await until(() => input.opening.log.find('warn', 'within a frame').length === 1, 'the warning')
    expect(input.opening.log.find('warn', 'still listening')).toHaveLength(1)
    await send(await openOutput({ topic: `ipc://${path}` }), textMessages('next'))
    expect(payloadTexts(await collect(input, 1))).toEqual(['next'])
  })

  it('redelivers a nacked message ahead of new ones, unless told not to', async () => {
    const topic = `ipc://${freshSocket()}`
    const input = await openInput({ topic })
    const output = await openOutput({ topic })
    await send(output, textMessages('a', 'b'))
    const batch = await receive(input)
    await send(output, textMessages('c'))
    await until(() => input.status().pending === 1, 'c is there')
    await batch.commit([retryable, ack()])
    expect(payloadTexts(await collect(input, 2, 1))).toEqual(['a', 'c'])
  })

  it('keeps what was received and not processed for the next consumer of the process', async () => {
    const topic = `ipc://${freshSocket()}`
    const input = await openInput({ topic, capacity: 2 })
    const output = await openOutput({ topic })
    for (let index = 0; index < 10; index++) await send(output, textMessages(String(index)))
    const open = await receive(input, 1)
    await until(() => input.status().pending === 2, 'the buffer is full')
    await settle()
    await input.close()
    expect(await codeOf(open.commit(ALL_ACKED))).toBe('MQB_CLOSED')
    expect(input.opening.log.find('warn', 'lost when it ends')).toHaveLength(1)
    const next = await openInput({ topic })
    expect(payloadTexts(await collect(next, 10))).toEqual(
      Array.from({ length: 10 }, (_, index) => String(index)),
    )
    await next.close()
    expect(heldTopics().filter(key => key.includes(topic.slice(6)))).toEqual([])
  })
})

describe('the socket file', () => {
  it('is for its owner only, in a folder that was made for it, and goes with the consumer', async () => {
    const folder = join(scratchFolder(), 'made', 'deep')
    const path = join(folder, 'x.sock')
    const input = await openInput({ topic: `unix://${path}` })
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await input.close()
    expect(existsSync(path)).toBe(false)
  })

  it('leaves the mode of a folder that was there', async () => {
    const folder = join(scratchFolder(), 'there')
    mkdirSync(folder)
    chmodSync(folder, 0o755)
    await openInput({ topic: `unix://${folder}/x.sock` })
    expect(statSync(folder).mode & 0o777).toBe(0o755)
  })

  it('is refused while somebody serves it', async () => {
    const topic = `ipc://${freshSocket()}`
    const input = await openInput({ topic })
    expect(await rejection(openInput({ topic }))).toMatchObject({
      kind: 'config',
      code: 'MQB_MEMORY_IPC_LIVE',
    })
    const output = await openOutput({ topic })
    await send(output, textMessages('a'))
    expect(payloadTexts(await collect(input, 1))).toEqual(['a'])
  })

  it('is left alone when it is something else', async () => {
    const path = freshSocket()
    writeFileSync(path, 'precious')
    expect(await rejection(openInput({ topic: `ipc://${path}` }))).toMatchObject({
      code: 'MQB_MEMORY_IPC_PATH',
    })
    expect(statSync(path).size).toBe(8)
  })

  it('must be there before a publisher', async () => {
    expect(await rejection(openOutput({ topic: `ipc://${freshSocket()}` }))).toMatchObject({
      kind: 'connection',
      code: 'MQB_MEMORY_IPC_NO_CONSUMER',
    })
  })
})

describe('the publisher of a socket', () => {
  it('fails sends that wait when the consumer goes', async () => {
    const topic = `ipc://${freshSocket()}`
    const input = await openInput({ topic, capacity: 1 })
    const output = await openOutput({ topic })
    const sending = Promise.all(
      [1, 2, 3].map(() => codeOf(send(output, [new Message(Buffer.alloc(8_000_000))]))),
    )
    await until(() => Number(output.status().details?.unsent_bytes) > 0, 'it is blocked')
    await input.close()
    expect(new Set(await sending)).toEqual(new Set(['MQB_MEMORY_IPC_LOST']))
    expect(output.status()).toMatchObject({ healthy: false })
  })

  it('gives up at the signal of a send and survives the next', async () => {
    const path = freshSocket()
    await deafServer(path)
    const output = await openOutput({ topic: `ipc://${path}` })
    const deadline = new AbortController()
    const sending = output.send([new Message(Buffer.alloc(8_000_000))], deadline.signal)
    deadline.abort(new Error('too late'))
    await expect(sending).rejects.toThrow('too late')
    const next = codeOf(send(output, numberedMessages(1)))
    await output.close()
    await output.close()
    expect(await next).toBe('MQB_CLOSED')
  })

  it('hands over what was acked before it closed', async () => {
    const topic = `ipc://${freshSocket()}`
    const input = await openInput({ topic, capacity: 1 })
    const output = await openOutput({ topic })
    for (let index = 0; index < 20; index++) await send(output, textMessages(String(index)))
    await output.close()
    expect(await collect(input, 20)).toHaveLength(20)
  })
})

function numberedTexts(count: number, from: number): Message[] {
  return Array.from({ length: count }, (_, index) => new Message(String(from + index)))
}
