import { describe, expect, it } from 'vitest'
import { typed } from './support/transform.ts'

const payload = (more: object = {}): unknown => ({
  type: 'object',
  properties: { payload: { type: 'string', contentMediaType: 'application/json', ...more } },
})
const text = (document: string): string => `{"payload":${JSON.stringify(document)},"n":1.0}`
const failed = (reason: string): string => `transform failed at $.payload [content]: ${reason}`

describe('embedded JSON', () => {
  it('takes the place of its text, every digit kept', () => {
    const document = '{"a":[1.0,-0,1e400,9007199254740993],"t":"\\u00e9\\n\\ud83d\\ude00é😀\\"\\\\","":null}'
    expect(typed(payload(), text(document))).toBe(`{"payload":${document},"n":1.0}`)
  })

  it('is typed by its own schema', () => {
    const schema = payload({
      contentSchema: {
        type: 'object',
        properties: { qty: { type: 'integer' }, tier: { default: 'a' } },
        required: ['qty'],
      },
    })
    expect(typed(schema, text('{"qty":"7"}'))).toBe('{"payload":{"qty":7,"tier":"a"},"n":1.0}')
    expect(typed(schema, text('{"qty":"x"}'))).toBe(
      'transform failed at $.payload.qty [coercion]: cannot coerce string "x" to integer',
    )
    expect(typed(schema, text('{}'))).toBe(
      'transform failed at $.payload.qty [required]: the field is required and absent',
    )
    expect(typed(schema, text('[1]'))).toBe(
      'transform failed at $.payload [type]: expected object, got array',
    )
  })

  it('may hold further documents', () => {
    const inner = {
      type: 'string',
      contentMediaType: 'text/json',
      contentSchema: { type: 'array', items: { type: 'integer' } },
    }
    const schema = payload({
      contentSchema: { type: 'object', properties: { x: inner, y: { type: 'integer' } } },
    })
    expect(typed(schema, text('{"y":"1","x":"[\\"1\\", 2]","z":"3"}'))).toBe(
      '{"payload":{"y":1,"x":[1, 2],"z":"3"},"n":1.0}',
    )
  })

  it('can be the whole body', () => {
    const schema = {
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema: { type: 'object', properties: { a: { type: 'integer' } } },
    }
    expect(typed(schema, JSON.stringify('{"a":"1"}'))).toBe('{"a":1}')
    expect(typed(schema, ` ${JSON.stringify(' {} ')} `)).toBe(' {} ')
  })

  it('is decoded for JSON media types only', () => {
    for (const type of [
      'application/json',
      'text/json',
      'application/cloudevents+json',
      'APPLICATION/JSON ; charset=utf-8',
    ])
      expect(typed(payload({ contentMediaType: type }), text('{}')), type).toBe('{"payload":{},"n":1.0}')
    for (const type of ['text/plain', 'application/jsonl', '+json', 'application/x-json', ''])
      expect(typed(payload({ contentMediaType: type }), text('{}')), type).toBe(text('{}'))
    for (const contentEncoding of ['base64', 'quoted-printable', ''])
      expect(typed(payload({ contentEncoding }), text('{}'))).toBe(text('{}'))
    expect(typed({ properties: { payload: { contentSchema: { type: 'integer' } } } }, text('{}'))).toBe(
      text('{}'),
    )
  })

  it('fails where the text is no document', () => {
    expect(typed(payload(), text('{"a":}'))).toBe(
      failed('contentMediaType is JSON but the string does not parse: a value is expected, at byte 5 of it'),
    )
    expect(typed(payload(), text(''))).toMatch('does not parse: the document ends where a value is expected')
    expect(typed(payload(), text('1 2'))).toMatch(
      'more follows after the end of the document, at byte 2 of it',
    )
    expect(typed(payload(), text('"a\u0001"'))).toMatch('a control character in a string must be escaped')
    expect(typed(payload(), '{"payload":"\\"\\ud800\\""}')).toMatch('half a surrogate pair')
  })

  it('is not decoded by coerce, and needs a text', () => {
    expect(typed({ type: 'object', properties: { payload: { type: 'string' } } }, text('{}'))).toBe(
      text('{}'),
    )
    expect(typed(payload(), '{"payload":[1]}')).toBe(
      'transform failed at $.payload [type]: expected string, got array',
    )
    expect(
      typed({ properties: { payload: { contentMediaType: 'application/json' } } }, '{"payload":[1]}'),
    ).toBe('{"payload":[1]}')
    expect(typed(payload(), '{"payload":42}')).toBe('{"payload":42}')
  })

  it('stays one line: line breaks between values go, those in texts stay escapes', () => {
    const document = JSON.stringify({ a: [1, { b: 'x\ny "q" \\' }], c: {} }, null, 2)
    const result = typed(payload(), text(document))
    expect(result).toBe('{"payload":{"a":[1,{"b":"x\\ny \\"q\\" \\\\"}],"c":{}},"n":1.0}')
    const schema = payload({ contentSchema: { properties: { a: { type: 'integer' } } } })
    expect(typed(schema, text('{\r\n  "a": "1"\n}'))).toBe('{"payload":{"a":1},"n":1.0}')
  })

  it('reads an empty text as null where told so', () => {
    const nullable = payload({ nullable: true })
    expect(typed(nullable, text(''), { coerce_empty_as_null: true })).toBe('{"payload":null,"n":1.0}')
  })
})
