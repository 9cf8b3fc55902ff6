import { describe, expect, it } from 'vitest'
import { compilePaths } from '../src/index.ts'

const documents = [
  '{"order":{"status":"open","qty":12},"reading":10.50,"text":"a b","list":[1,"x"]}',
  '{"reading":"esc\\"aped \\u0041","order":{"status":"x","status":"y"}, "n" : -1e5 }',
  '{"a":true,"reading":0,"order":null}',
]
const program = compilePaths(['order.status', 'reading'])

const accepts = (bytes: Buffer, start: number, end: number): boolean => {
  try {
    program.find(bytes, start, end, program.createRanges())
    return true
  } catch {
    return false
  }
}

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('a document within a slab', () => {
  it.each(documents)('ends where it ends, whatever stands behind it: %s', document => {
    for (const behind of ['', '"', '"}', '":1}', '"":"', '0}', '.5}', '\\"}', '}]', ' ']) {
      const slab = Buffer.from(`"}${document}${behind}`)
      for (let length = 0; length <= document.length; length++) {
        const cut = document.slice(0, length)
        expect(accepts(slab, 2, 2 + length), JSON.stringify({ cut, behind })).toBe(parses(cut))
      }
    }
  })

  it('is not read beyond the end of the slab', () => {
    const slab = Buffer.from('{"reading":"never closed')
    expect(accepts(slab, 0, slab.length)).toBe(false)
    expect(accepts(Buffer.from('{"reading'), 0, 9)).toBe(false)
    expect(accepts(Buffer.from('{"reading":12'), 0, 13)).toBe(false)
  })
})
