import { describe, expect, it } from 'vitest'
import { typed } from './support/transform.ts'

const object = (properties: Record<string, unknown>, more: object = {}): unknown => ({
  type: 'object',
  properties,
  ...more,
})
const failed = (path: string, kind: string, reason: string): string =>
  `transform failed at ${path} [${kind}]: ${reason}`

describe('types', () => {
  it('turns texts into what the schema wants', () => {
    const schema = object({
      i: { type: 'integer' },
      n: { type: 'number' },
      b: { type: 'boolean' },
      z: { type: 'boolean' },
      s: { type: 'string' },
    })
    expect(typed(schema, '{"i":"42","n":"1.50","b":"true","z":"0","s":7.10,"x":"1"}')).toBe(
      '{"i":42,"n":1.50,"b":true,"z":false,"s":"7.10","x":"1"}',
    )
  })

  it('keeps every digit', () => {
    const number = object({ v: { type: 'number' } })
    for (const digits of [
      '9007199254740993',
      '0.1234567890123456789012345678901',
      '-0',
      '1e400',
      '18446744073709551615',
    ])
      expect(typed(number, `{"v":"${digits}"}`)).toBe(`{"v":${digits}}`)
    expect(typed(object({ v: { type: 'integer' } }), '{"v":"-9223372036854775809"}')).toBe(
      '{"v":-9223372036854775809}',
    )
  })

  it('writes numbers as JSON has them', () => {
    const number = object({ v: { type: 'number' } })
    for (const [text, written] of [
      ['+5', '5'],
      ['007', '7'],
      ['.5', '0.5'],
      ['5.', '5'],
      ['-.5E+3', '-0.5e+3'],
      ['-00', '-0'],
      ['\\u0034\\u0032', '42'],
    ])
      expect(typed(number, `{"v":"${text}"}`), text).toBe(`{"v":${written}}`)
    expect(typed(object({ v: { type: 'integer' } }), '{"v":"+0012"}')).toBe('{"v":12}')
  })

  it('reads no other text as a number', () => {
    for (const text of [
      'oops',
      '',
      ' 1',
      '1 ',
      '1_000',
      '0x1F',
      'NaN',
      'Infinity',
      '1,5',
      '--1',
      '.',
      'e5',
      '1e',
    ])
      expect(typed(object({ v: { type: 'number' } }), `{"v":"${text}"}`), text).toBe(
        failed('$.v', 'coercion', `cannot coerce string "${text}" to number`),
      )
    for (const text of ['1.0', '1e2', '-', '1.5'])
      expect(typed(object({ v: { type: 'integer' } }), `{"v":"${text}"}`), text).toBe(
        failed('$.v', 'coercion', `cannot coerce string "${text}" to integer`),
      )
    for (const text of ['TRUE', 'yes', '2', ''])
      expect(typed(object({ v: { type: 'boolean' } }), `{"v":"${text}"}`), text).toBe(
        failed('$.v', 'coercion', `cannot coerce string "${text}" to boolean`),
      )
  })

  it('takes a whole number for an integer, however it is written', () => {
    const schema = object({ v: { type: 'integer' } })
    for (const text of ['1', '1.0', '1e2', '1.50e1', '100e-2', '0.0e-7', '-9007199254740993'])
      expect(typed(schema, `{"v":${text}}`), text).toBe(`{"v":${text}}`)
    for (const text of ['1.5', '1e-1', '15e-1'])
      expect(typed(schema, `{"v":${text}}`), text).toBe(
        failed('$.v', 'type', `expected integer, got number ${text}`),
      )
  })

  it('fails what nothing can be made of', () => {
    const schema = object({ v: { type: 'integer' } })
    expect(typed(schema, '{"v":true}')).toBe(failed('$.v', 'type', 'expected integer, got boolean true'))
    expect(typed(schema, '{"v":{}}')).toBe(failed('$.v', 'type', 'expected integer, got object'))
    expect(typed(schema, '{"v":[]}')).toBe(failed('$.v', 'type', 'expected integer, got array'))
    expect(typed(schema, '{"v":null}')).toBe(failed('$.v', 'type', 'expected integer, got null'))
    expect(typed(object({ v: { type: 'object' } }), '{"v":"{}"}')).toBe(
      failed('$.v', 'type', 'expected object, got string "{}"'),
    )
    expect(typed(schema, '[]')).toBe(failed('$', 'type', 'expected object, got array'))
  })

  it('leaves texts alone with coerce: false', () => {
    expect(typed(object({ v: { type: 'integer' } }), '{"v":"1"}', { coerce: false })).toBe(
      failed('$.v', 'type', 'expected integer, got string "1"'),
    )
    expect(typed(object({ v: { type: 'string' } }), '{"v":1}', { coerce: false })).toBe(
      failed('$.v', 'type', 'expected string, got number 1'),
    )
  })

  it('takes the first of several types that fits', () => {
    const schema = object({ v: { type: ['integer', 'boolean', 'null'] } })
    for (const [given, written] of [
      ['"1"', '1'],
      ['"true"', 'true'],
      ['false', 'false'],
      ['null', 'null'],
      ['3', '3'],
    ])
      expect(typed(schema, `{"v":${given}}`)).toBe(`{"v":${written}}`)
    expect(typed(schema, '{"v":"x"}')).toBe(
      failed('$.v', 'coercion', 'cannot coerce string "x" to integer or boolean'),
    )
    expect(typed(object({ v: { type: ['integer', 'string'] } }), '{"v":"1"}')).toBe('{"v":"1"}')
    expect(typed(object({ v: { type: 'null' } }), '{"v":1}')).toBe(
      failed('$.v', 'type', 'expected null, got number 1'),
    )
  })
})

describe('paths in errors', () => {
  it('name the field, with the index of an element', () => {
    const items = { type: 'array', items: object({ qty: { type: 'integer' } }) }
    expect(typed(object({ items }), '{"items":[{"qty":"1"},{"qty":"oops"}]}')).toBe(
      failed('$.items[1].qty', 'coercion', 'cannot coerce string "oops" to integer'),
    )
    const grid = { type: 'array', items: { type: 'array', items: { type: 'integer' } } }
    expect(typed(grid, '[[1],["2",[]]]')).toBe(failed('$[1][1]', 'type', 'expected integer, got array'))
  })

  it('spell unusual names so that they can not be misread', () => {
    for (const [name, spelt] of [
      ['price.usd', "$['price.usd']"],
      ['a[0]', "$['a[0]']"],
      ["it's", "$['it\\'s']"],
      ['say "x"', '$[\'say "x"\']'],
      ['', "$['']"],
      ['größe', '$.größe'],
      ['order_id', '$.order_id'],
      ['__proto__', '$.__proto__'],
      ['constructor', '$.constructor'],
      ['a\nb', "$['a\\nb']"],
    ]) {
      const schema = JSON.parse(`{"type":"object","properties":{${JSON.stringify(name)}:{"type":"integer"}}}`)
      expect(typed(schema, `{${JSON.stringify(name)}:"x"}`)).toBe(
        failed(spelt!, 'coercion', 'cannot coerce string "x" to integer'),
      )
      expect(typed(schema, `{${JSON.stringify(name)}:"12"}`)).toBe(`{${JSON.stringify(name)}:12}`)
    }
  })

  it('shorten long values', () => {
    expect(typed(object({ v: { type: 'integer' } }), `{"v":"${'ä'.repeat(500)}"}`).length).toBeLessThan(150)
  })
})

describe('absent and null', () => {
  it('puts defaults in for absent fields, as they are written', () => {
    const schema = object({
      a: { default: 1 },
      b: { type: 'string', default: 'x"y' },
      c: { default: { d: [null] } },
    })
    expect(typed(schema, '{}')).toBe('{"a":1,"b":"x\\"y","c":{"d":[null]}}')
    expect(typed(schema, '{ "b" : "k" }')).toBe('{ "b" : "k" ,"a":1,"c":{"d":[null]}}')
    expect(typed(schema, '{}', { apply_defaults: false })).toBe('{}')
  })

  it('makes of a default what the schema says', () => {
    const schema = object({
      o: object({ tier: { type: 'string', default: 'standard' } }, { default: {} }),
      q: { type: 'integer', default: '5' },
    })
    expect(typed(schema, '{}')).toBe('{"o":{"tier":"standard"},"q":5}')
  })

  it('misses required fields, unless there is a default', () => {
    const schema = object({ a: { type: 'integer', default: 3 } }, { required: ['a', 'b'] })
    expect(typed(schema, '{"b":null}')).toBe('{"b":null,"a":3}')
    expect(typed(schema, '{"a":1}')).toBe(failed('$.b', 'required', 'the field is required and absent'))
    expect(typed(schema, '{"b":1}', { apply_defaults: false })).toBe(
      failed('$.a', 'required', 'the field is required and absent'),
    )
  })

  it('keeps null where it is allowed, and puts the default in otherwise', () => {
    const schema = object({
      a: { type: 'string', nullable: true, default: 'x' },
      b: { type: 'string', default: 'x' },
      c: { type: ['string', 'null'] },
      d: {},
    })
    expect(typed(schema, '{"a":null,"b":null,"c":null,"d":null}')).toBe(
      '{"a":null,"b":"x","c":null,"d":null}',
    )
  })

  it('reads an empty text as null with coerce_empty_as_null, where the schema declares the field', () => {
    const options = { coerce_empty_as_null: true }
    const schema = object({
      note: { type: 'string', nullable: true },
      tier: { type: 'string', default: 'standard' },
      free: {},
      name: { type: 'string' },
    })
    expect(typed(schema, '{"note":"","tier":"","free":"","other":"","x":{"note":""}}', options)).toBe(
      '{"note":null,"tier":"standard","free":null,"other":"","x":{"note":""}}',
    )
    expect(typed(schema, '{"note":" ","tier":"a"}', options)).toBe('{"note":" ","tier":"a"}')
    expect(typed(schema, '{"name":""}', options)).toBe(
      failed(
        '$.name',
        'coercion',
        'an empty string is read as null, and null is not allowed: expected string',
      ),
    )
    expect(typed(object({ v: { type: 'number', nullable: true } }), '{"v":""}', options)).toBe('{"v":null}')
    expect(typed({ type: 'array', items: { type: 'integer', nullable: true } }, '["","1"]', options)).toBe(
      '[null,1]',
    )
  })
})

describe('enum', () => {
  it('compares values, not how they are written', () => {
    const schema = object({ v: { enum: ['open', 1, 0.5, null, { a: 1, b: [2] }, 'é'] } })
    for (const text of [
      '"open"',
      '1',
      '1.0',
      '10e-1',
      '5E-1',
      'null',
      '{"b":[2.0],"a":1}',
      '"\\u006fpen"',
      '"\\u00e9"',
    ])
      expect(typed(schema, `{"v":${text}}`), text).toBe(`{"v":${text}}`)
    expect(typed(schema, '{"v":"shut"}')).toBe(
      failed('$.v', 'enum', '"shut" is none of "open", 1, 0.5, null, {"a":1,"b":[2]}, "é"'),
    )
  })

  it('compares what a text was turned into', () => {
    const schema = object({ v: { type: 'integer', enum: [1, 2] }, s: { type: 'string', enum: ['1'] } })
    expect(typed(schema, '{"v":"2","s":1}')).toBe('{"v":2,"s":"1"}')
    expect(typed(schema, '{"v":"3"}')).toBe(failed('$.v', 'enum', '3 is none of 1, 2'))
  })

  it('lets null pass where it is allowed', () => {
    expect(typed(object({ v: { type: 'string', nullable: true, enum: ['a'] } }), '{"v":null}')).toBe(
      '{"v":null}',
    )
    expect(typed(object({ v: { enum: ['a'] } }), '{"v":null}')).toBe(
      failed('$.v', 'enum', 'null is none of "a"'),
    )
  })
})

describe('repeated keys', () => {
  const schema = object({
    a: { type: 'integer' },
    o: object({ b: { type: 'integer' } }, { required: ['b'] }),
  })

  it('look at the last one only, as JSON.parse does', () => {
    expect(typed(schema, '{"a":"1","a":"2"}')).toBe('{"a":"1","a":2}')
    expect(typed(schema, '{"a":"oops","a":"2"}')).toBe('{"a":"oops","a":2}')
    expect(typed(schema, '{"o":{},"a":"1","o":{"b":"3","\\u0062":"4"}}')).toBe(
      '{"o":{},"a":1,"o":{"b":"3","\\u0062":4}}',
    )
    expect(typed(schema, '{"a":"2","a":"oops"}')).toBe(
      failed('$.a', 'coercion', 'cannot coerce string "oops" to integer'),
    )
  })
})

describe('everything else in a schema', () => {
  it('is ignored', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'x',
      title: 1,
      type: 'object',
      additionalProperties: false,
      minProperties: 9,
      allOf: [{ required: ['never'] }],
      properties: {
        a: { type: 'integer', minimum: 100, format: 'int64', const: 3, $comment: 'x' },
        b: true,
        c: false,
        d: { items: [{ type: 'integer' }] },
      },
    }
    expect(typed(schema, '{"a":"1","b":"x","c":[],"d":["1"],"e":null}')).toBe(
      '{"a":1,"b":"x","c":[],"d":["1"],"e":null}',
    )
  })

  it('applies properties and items to values that have them', () => {
    expect(typed({ properties: { a: { type: 'integer' } }, items: { type: 'integer' } }, '["1"]')).toBe('[1]')
    expect(typed({ properties: { a: { type: 'integer' } } }, '"text"')).toBe('"text"')
  })
})
