import { describe, expect, it } from 'vitest'
import { EvaluationError, ExpressionGroup, toJson } from '../src/index.ts'
import { documentOf } from './support/documents.ts'

describe('a group of expressions', () => {
  it('answers as the expressions alone would, for message after message', () => {
    const group = new ExpressionGroup()
    const sources = [
      'a + 1',
      'a == 5 or b.c == "x"',
      '{ all: $root, b: b.c }',
      'meta.k',
      'b.c ?? a',
      'x = a; x * 2',
    ]
    const expressions = sources.map(source => group.compile(source))
    expect(expressions.map(each => each.payloadPaths)).toEqual([
      ['a'],
      ['a', 'b.c'],
      ['$', 'b.c'],
      [],
      ['b.c', 'a'],
      ['a'],
    ])
    for (const [payload, answers] of [
      ['{"a":5,"b":{"c":"x"}}', ['6', 'true', '{"all":{"a":5,"b":{"c":"x"}},"b":"x"}', '"v"', '"x"', '10']],
      ['{"a":7}', ['8', 'false', '{"all":{"a":7},"b":null}', '"v"', '7', '14']],
    ] as const) {
      const document = documentOf(payload, { k: 'v' })
      expect(expressions.map(each => toJson(each.evaluate(document)))).toEqual(answers)
      group.release()
    }
  })

  it('reads a payload once', () => {
    const group = new ExpressionGroup()
    const [first, second] = ['a', 'b'].map(source => group.compile(source))
    const document = documentOf('{"a":1,"b":2}')
    expect(first?.evaluate(document)).toBe(1)
    // Seen only where the bytes are changed, which nobody may do: the ranges found before are used.
    document.bytes[0] = 0x7b
    document.bytes.set(Buffer.from('{"a":1,"x":2}'))
    expect(second?.evaluate(document)).toBe(2)
    group.release()
    expect(second?.evaluate(document)).toBe(null)
  })

  it('takes expressions in at any time, and is not confused by payloads that can not be read', () => {
    const group = new ExpressionGroup()
    const first = group.compile('a')
    const document = documentOf('{"a":1,"b":2}')
    expect(first.evaluate(document)).toBe(1)
    const second = group.compile('[a, b]')
    expect(toJson(second.evaluate(document))).toBe('[1,2]')
    const broken = documentOf('{"a":3,')
    expect(() => first.evaluate(broken)).toThrow(EvaluationError)
    expect(() => second.evaluate(broken)).toThrow(EvaluationError)
    expect(() => second.evaluate(documentOf('[1]'))).toThrow('not a JSON object')
    expect(toJson(group.compile('$root').evaluate(documentOf('[1]')))).toBe('[1]')
    expect(toJson(second.evaluate(document))).toBe('[1,2]')
    expect(group.compile('1 + 1').evaluate(broken)).toBe(2)
  })
})
