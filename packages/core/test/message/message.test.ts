import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatId, idFromBytes, idHalves, idToBytes, mintId, parseId } from '../../src/message/id.ts'
import { Message } from '../../src/message/message.ts'

const id = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'

describe('a message', () => {
  it('shows its part of a slab', () => {
    const slab = Buffer.from('one\ntwo\n')
    const message = Message.view(slab, 4, 7)
    expect(message.text()).toBe('two')
    expect(message.payload.equals(Buffer.from('two'))).toBe(true)
    expect(message.payload).toBe(message.payload)
    expect(message.byteLength).toBe(3)
  })

  it('takes bytes over without a copy', () => {
    const bytes = Buffer.from('abc')
    expect(new Message(bytes).payload).toBe(bytes)
  })

  it('keeps null, empty and the JSON text null apart', () => {
    const [nothing, empty, text] = [new Message(null), new Message(''), new Message('null')]
    expect([nothing.isNull, empty.isNull, text.isNull]).toEqual([true, false, false])
    expect(nothing.payload.length).toBe(0)
    expect(nothing.withMetadata({ a: 'b' }).isNull).toBe(true)
    expect(nothing.detach().isNull).toBe(true)
    expect(nothing.withId(id).isNull).toBe(true)
    expect(text.derive(null).isNull).toBe(true)
  })

  it('keeps bytes that are not UTF-8', () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x00])
    const message = new Message(bytes)
    message.text()
    expect([...message.payload]).toEqual([0xff, 0xfe, 0x00])
  })

  it('mints its id at the first look and keeps it in everything derived before and after', () => {
    const message = new Message('a')
    const before = message.derive('b').withMetadata({ k: 'v' })
    const minted = message.id
    expect(before.id).toBe(minted)
    expect(message.derive('c').id).toBe(minted)
    expect(message.derive('c').detach().id).toBe(minted)
    expect(minted).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('refuses an id that is no UUID, and metadata that is no text', () => {
    expect(() => new Message('a', {}, 'nonsense')).toThrow(TypeError)
    expect(() => new Message('a', { n: 1 as never })).toThrow(/metadata "n" must be a text/)
  })

  it('derives without changing the original', () => {
    const message = new Message('{"a":1}', { k: 'v', other: 'o' }, id)
    expect(message.json()).toEqual({ a: 1 })
    const derived = message.withMetadata({ k: 'w', n: 'x' }).derive('changed')
    expect(message.metadata).toEqual({ k: 'v', other: 'o' })
    expect(derived.metadata).toEqual({ k: 'w', other: 'o', n: 'x' })
    expect([message.text(), derived.text()]).toEqual(['{"a":1}', 'changed'])
    expect(derived.id).toBe(id)
    expect(message.withoutMetadata(key => key === 'k').metadata).toEqual({ other: 'o' })
    expect(message.withoutMetadata(() => false)).toBe(message)
  })

  it('holds a key such as __proto__ as a key', () => {
    const message = new Message('', ['__proto__', 'x'])
    expect(Object.keys(message.metadata)).toEqual(['__proto__'])
    expect(message.getMetadata('constructor')).toBeUndefined()
  })

  it('is copied out of a slab when it is detached, and only then', () => {
    const slab = Buffer.allocUnsafeSlow(1000).fill(97)
    const small = Message.view(slab, 0, 10).detach()
    expect(small.bytes.buffer.byteLength).toBe(10)
    const large = Message.view(slab, 0, 900)
    expect(large.detach()).toBe(large)
    // The message whose id it shares may hold a slab of its own.
    const derived = large.derive(Buffer.allocUnsafeSlow(9).fill('own bytes'))
    const detached = derived.detach()
    expect(detached).not.toBe(derived)
    expect([detached.text(), detached.id]).toEqual(['own bytes', large.id])
  })

  it('is recognised by another copy of the class', () => {
    const brand = Object.getOwnPropertySymbols(Message.prototype)[0] as symbol
    expect(Message.is({ [brand]: true })).toBe(true)
    expect(Message.is(new Message(''))).toBe(true)
    expect(Message.is({})).toBe(false)
  })
})

describe('ids', () => {
  it('round trip through halves and bytes', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 2n ** 64n - 1n), (high, low) => {
        const text = formatId({ high, low })
        expect(idHalves(text)).toEqual({ high, low })
        expect(idFromBytes(idToBytes(text))).toBe(text)
        expect(new Message('', undefined, { high, low }).id).toBe(text)
      }),
    )
  })

  it('grow within a process and never repeat', () => {
    const ids = Array.from({ length: 20_000 }, mintId)
    expect(new Set(ids).size).toBe(ids.length)
    expect([...ids].sort()).toEqual(ids)
  })

  it.each(['', 'x', id.slice(1), `${id}0`, 'g'.repeat(32)])('%j from the wire is no id, and no error', text =>
    expect(parseId(text)).toBeUndefined(),
  )

  it('are read with and without dashes, in any case', () => {
    expect(parseId(id.toUpperCase())).toBe(id)
    expect(parseId(id.replaceAll('-', ''))).toBe(id)
  })
})
