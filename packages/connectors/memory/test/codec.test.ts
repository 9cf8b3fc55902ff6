import { Message } from '@mqb/core'
import { decode, encode } from '@msgpack/msgpack'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBody, encodedSize, encodeFrame } from '../src/ipc/codec.ts'
import { FrameParser } from '../src/ipc/frames.ts'

const messageArbitrary = fc
  .record({
    payload: fc.option(
      fc.oneof(
        fc.uint8Array({ maxLength: 20 }),
        fc.constantFrom(255, 256, 65_535, 65_536).map(size => new Uint8Array(size)),
      ),
    ),
    metadata: fc.dictionary(
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('__proto__', 'k'.repeat(31), 'k'.repeat(32))),
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom(255, 256, 70_000).map(size => 'v'.repeat(size)),
      ),
      { maxKeys: 20, noNullPrototype: false },
    ),
  })
  .map(({ payload, metadata }) => {
    const pairs = Object.entries(metadata).filter(([key]) => !key.startsWith('mqb.src.'))
    return new Message(payload, pairs.flat())
  })

const frameOf = (messages: readonly Message[]): Buffer =>
  encodeFrame(
    messages,
    messages.reduce((sum, message) => sum + encodedSize(message), 0),
  )

const shown = (message: Message) => [
  message.id,
  message.isNull,
  message.payload.toString('hex'),
  [...message.metadataPairs],
]

describe('frames', () => {
  it('are MessagePack as another library reads it, and of the length that was computed', () => {
    fc.assert(
      fc.property(fc.array(messageArbitrary, { maxLength: 20 }), messages => {
        const frame = frameOf(messages)
        expect(frame.readUInt32BE(0)).toBe(frame.length - 4)
        if (messages.some(message => message.getMetadata('__proto__') !== undefined)) return
        const decoded = decode(frame.subarray(4)) as [Uint8Array, Uint8Array | null, Record<string, string>][]
        expect(decoded.length).toBe(messages.length)
        for (const [index, [id, payload, metadata]] of decoded.entries()) {
          const message = messages[index]!
          expect(Buffer.from(id).toString('hex')).toBe(message.id.replaceAll('-', ''))
          expect(payload === null ? null : Buffer.from(payload)).toEqual(
            message.isNull ? null : message.payload,
          )
          expect({ ...metadata }).toEqual({ ...message.metadata })
        }
      }),
      { numRuns: 60 },
    )
  })

  it('read what another library writes', () => {
    const id = Buffer.alloc(16, 7)
    const many = Array.from({ length: 70_000 }, () => [id, Buffer.from('x'), {}])
    expect(decodeBody(Buffer.from(encode(many)))).toHaveLength(70_000)
    const [message] = decodeBody(Buffer.from(encode([[id, null, { a: 'b', 'mqb.src.x': 'y' }]])))
    expect(message?.isNull).toBe(true)
    expect(message?.metadata).toEqual({ a: 'b' })
  })

  it('come out as they went in, however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(messageArbitrary, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 50 }),
        (batches, cuts) => {
          const bytes = Buffer.concat(batches.map(frameOf))
          const parser = new FrameParser()
          const read: Message[][] = []
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const size = cuts[turn % cuts.length]!
            parser.push(bytes.subarray(at, at + size))
            at += size
            for (let body = parser.next(); body !== undefined; body = parser.next())
              read.push(decodeBody(body))
          }
          expect(parser.partial).toBe(false)
          expect(read.map(batch => batch.map(shown))).toEqual(batches.map(batch => batch.map(shown)))
        },
      ),
      { numRuns: 60 },
    )
  })

  it.each([
    ['something else', encode('text')],
    ['a message of two parts', encode([[Buffer.alloc(16), Buffer.alloc(1)]])],
    ['an id of another length', encode([[Buffer.alloc(15), Buffer.alloc(1), {}]])],
    ['metadata that is no text', encode([[Buffer.alloc(16), Buffer.alloc(1), { a: 1 }]])],
    ['bytes behind the end', Buffer.concat([encode([]), Buffer.of(0)])],
    ['a cut value', encode([[Buffer.alloc(16), Buffer.alloc(1), {}]]).subarray(0, 10)],
  ])('refuse %s', (_what, body) => {
    expect(() => decodeBody(Buffer.from(body))).toThrow(SyntaxError)
  })
})
