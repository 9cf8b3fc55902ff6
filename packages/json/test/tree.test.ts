import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonNumber, type JsonTree, readTree, writeTree } from '../src/index.ts'

const through = (text: string): string => writeTree(readTree(Buffer.from(text)))

describe('a tree without loss', () => {
  it('keeps the text of numbers', () => {
    for (const text of ['9007199254740993', '-0', '1.0', '1e400', '0.10000000000000000000001', '-12.50E+3'])
      expect(through(text)).toBe(text)
    expect(readTree(Buffer.from('[1.0]'))).toEqual([new JsonNumber('1.0')])
  })

  it('takes any name as data', () => {
    const text = '{"__proto__":{"constructor":1},"a.b":2,"":3}'
    expect(through(text)).toBe(text)
  })

  it('keeps the last value of a repeated key', () => {
    expect(through('{"a":1,"b":2,"a":[3]}')).toBe('{"a":[3],"b":2}')
  })

  it('reads a part of a buffer, and refuses what JSON.parse refuses', () => {
    expect(writeTree(readTree(Buffer.from('xx[1] yy'), 2, 6))).toBe('[1]')
    for (const text of ['', '{', '[1,]', '{"a":1,}', '1 2', '"\u0001"', '01', 'nul', '[1}'])
      expect(() => readTree(Buffer.from(text))).toThrow('not JSON at byte')
  })

  it('nests as deep as documents may', () => {
    const text = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    let tree: JsonTree = readTree(Buffer.from(text))
    let depth = 0
    while (Array.isArray(tree)) {
      depth++
      tree = tree[0] as JsonTree
    }
    expect(depth).toBe(20_000)
  })

  it('writes what JSON.stringify writes for what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        expect(JSON.parse(through(text))).toEqual(JSON.parse(text))
      }),
    )
  })
})
