import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileSplice } from '../src/index.ts'

function splice(text: string, changes: Readonly<Record<string, string | undefined>>): string {
  const writes = Object.keys(changes)
  const program = compileSplice([], writes)
  const bytes = Buffer.from(text)
  const ranges = program.createRanges()
  program.find(bytes, 0, bytes.length, ranges)
  const values = writes.map(path => (changes[path] === undefined ? undefined : Buffer.from(changes[path])))
  const room = bytes.length + program.overhead + values.reduce((sum, value) => sum + (value?.length ?? 0), 0)
  const out = Buffer.alloc(room, '#')
  return out.toString('utf8', 0, program.splice(bytes, 0, bytes.length, ranges, values, out, 0))
}

describe('splicing values into a document', () => {
  it.each([
    ['{"a":1}', { b: '2' }, '{"a":1,"b":2}'],
    ['{}', { b: '2' }, '{"b":2}'],
    ['{ }', { b: '2' }, '{ "b":2}'],
    ['{"a": 1.0 }', { a: '"x"' }, '{"a": "x" }'],
    ['{"a":1}', { 'x.y.z': '1' }, '{"a":1,"x":{"y":{"z":1}}}'],
    ['{"x":{"k":1e400}}', { 'x.y': '1', 'x.z': '2' }, '{"x":{"k":1e400,"y":1,"z":2}}'],
    ['{"x":null}', { 'x.y': '1', 'x.z': '2' }, '{"x":{"y":1,"z":2}}'],
    ['{"x":null}', { x: '1' }, '{"x":1}'],
    ['{"a":1,"a":2}', { a: '3' }, '{"a":1,"a":3}'],
    ['{"x":{"y":1},"x":{}}', { 'x.y': '5' }, '{"x":{"y":1},"x":{"y":5}}'],
    ['{"n":9007199254740993,"f":0.10}', { s: '[1]' }, '{"n":9007199254740993,"f":0.10,"s":[1]}'],
    ['{"a":1}', { b: undefined }, '{"a":1}'],
    ['{"a":{}}', { 'a.b': '1', c: '2' }, '{"a":{"b":1},"c":2}'],
    ['{"a\\"":1}', { 'ü"': '1' }, '{"a\\"":1,"ü\\"":1}'],
  ])('%s with %j is %s', (text, changes, expected) => expect(splice(text, changes)).toBe(expected))

  it('names the first path that something other than an object stands in the way of', () => {
    const program = compileSplice([], ['a', 'b.c'])
    const ranges = program.createRanges()
    const blocked = (text: string): number => {
      program.find(Buffer.from(text), 0, Buffer.byteLength(text), ranges)
      return program.blockedAt(Buffer.from(text), ranges)
    }
    expect([
      blocked('{"b":[1]}'),
      blocked('{"b":null}'),
      blocked('[]'),
      blocked('null'),
      blocked('{"b":"x"}'),
    ]).toEqual([1, -1, 0, 0, 1])
    expect(() => splice('{"b":1}', { 'b.c': '1' })).toThrow(/stands on its way/)
  })

  it('reads and finds where to write in one pass', () => {
    const program = compileSplice(['a', 's.x'], ['s'])
    const text = Buffer.from('{"a":12,"s":{"x":3}}')
    const ranges = program.createRanges()
    program.find(text, 0, text.length, ranges)
    expect([
      text.toString('utf8', ranges[0], ranges[1]),
      text.toString('utf8', ranges[2], ranges[3]),
    ]).toEqual(['12', '3'])
  })

  it.each([[['a', 'a']], [['a', 'a.b']], [['a[0]']], [['']]])('refuses to write to %j', writes =>
    expect(() => compileSplice([], writes)).toThrow(TypeError),
  )

  it('does what parsing, setting and printing would do, and leaves the order of everything else', () => {
    const value = fc.jsonValue({ maxDepth: 2 })
    const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value, { maxKeys: 4 })
    fc.assert(
      fc.property(object, value, value, (document, one, two) => {
        const text = JSON.stringify(document)
        const plain = JSON.parse(text) as Record<string, unknown>
        const inner = plain.b
        fc.pre(inner === undefined || inner === null || (typeof inner === 'object' && !Array.isArray(inner)))
        plain.a = JSON.parse(JSON.stringify(one))
        plain.b = { ...(inner ?? {}), x: JSON.parse(JSON.stringify(two)) }
        const spliced = splice(text, { a: JSON.stringify(one), 'b.x': JSON.stringify(two) })
        expect(JSON.parse(spliced)).toEqual(plain)
      }),
      { numRuns: 3000 },
    )
  })
})
