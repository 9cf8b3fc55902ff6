import { describe, expect, it } from 'vitest'
import { transformed } from './support/transform.ts'

const mapped = (mapping: unknown, payload: string): string => transformed({ mapping }, payload)

describe('mapping', () => {
  it('takes values as they are written, in the order of the mapping', () => {
    expect(
      mapped(
        { firstName: '$.first_name', id: 'user_id', deep: '$.a.b', item: '$.items[1].sku', list: 'items' },
        '{"items":[{},{"sku":"A\\u0031"}], "a":{"b":1.0},"user_id":9007199254740993,"first_name":"Ann"}',
      ),
    ).toBe(
      '{"firstName":"Ann","id":9007199254740993,"deep":1.0,"item":"A\\u0031","list":[{},{"sku":"A\\u0031"}]}',
    )
  })

  it('nests at the dots of an output key', () => {
    expect(
      mapped(
        { 'address.city': '$.city', id: '$.id', 'address.geo.lat': '$.lat' },
        '{"city":"Bremen","lat":53.10,"id":1}',
      ),
    ).toBe('{"address":{"city":"Bremen","geo":{"lat":53.10}},"id":1}')
  })

  it('leaves out what is absent, and objects that would hold nothing', () => {
    expect(mapped({ a: '$.a', 'o.b': '$.b', 'o.p.c': '$.c', d: '$.d' }, '{"d":null}')).toBe('{"d":null}')
    expect(mapped({ a: '$.a' }, '[]')).toBe('{}')
    expect(mapped({ a: '$.a' }, '7')).toBe('{}')
    expect(mapped({ o: '$.o' }, '{"o":{}}')).toBe('{"o":{}}')
  })

  it('puts defaults in for what is absent, not for null', () => {
    const mapping = {
      'address.city': { path: '$.city', default: 'unknown' },
      n: { path: 'n', default: null },
    }
    expect(mapped(mapping, '{}')).toBe('{"address":{"city":"unknown"},"n":null}')
    expect(mapped(mapping, '{"city":null,"n":[]}')).toBe('{"address":{"city":null},"n":[]}')
  })

  it('fails for good where a required field is absent, naming the output key', () => {
    const mapping = { id: { path: '$.user.id', required: true } }
    expect(mapped(mapping, '{"user":{"id":null}}')).toBe('{"id":null}')
    expect(mapped(mapping, '{"user":{}}')).toBe(
      'transform failed at $.user.id [required]: the field is absent, and the mapping requires it for "id"',
    )
  })

  it('can take one value twice, the whole document, and any name', () => {
    expect(mapped({ a: '$.x', b: '$.x', all: '$' }, '{"x":[1]}')).toBe('{"a":[1],"b":[1],"all":{"x":[1]}}')
    expect(
      mapped({ constructor: '$.constructor', toString: '$.__proto__' }, '{"constructor":1,"__proto__":2}'),
    ).toBe('{"constructor":1,"toString":2}')
    expect(mapped({ a: '$.x' }, '{"x":1,"x":2}')).toBe('{"a":2}')
  })

  it('reads a dot and a bracket in a source path as nesting only', () => {
    expect(mapped({ a: 'price.usd', b: '$.b' }, '{"price.usd":1,"b":2}')).toBe('{"b":2}')
  })

  it('fails what is not JSON', () => {
    expect(mapped({ a: 'a' }, '{"a":1')).toBe(
      'transform failed at $ [json]: the payload is not JSON: a , or } is expected, at byte 6',
    )
  })
})

describe('the stages together', () => {
  it('run as mapping, expression, schema', () => {
    const config = {
      mapping: { first: '$.first_name', last: '$.last_name', qty: '$.q' },
      expression: "{ fullName: first + ' ' + last, source: meta.source, qty: qty, all: $root }",
      schema: { properties: { qty: { type: 'integer' }, tier: { default: 'a' } } },
    }
    const payload = '{"first_name":"Ann","last_name":"Lee","q":"3","x":1}'
    expect(transformed(config, payload, { source: 'crm' })).toBe(
      '{"fullName":"Ann Lee","source":"crm","qty":3,"all":{"first":"Ann","last":"Lee","qty":"3"},"tier":"a"}',
    )
  })

  it('keep the digits of numbers through an expression', () => {
    expect(
      transformed(
        { expression: '{ a: a, b: b, c: b + 1, d: d, third: 0.1 + 0.2 }' },
        '{"a":1.0,"b":9007199254740993,"d":0.1234567890123456789012345678}',
      ),
    ).toBe(
      '{"a":1.0,"b":9007199254740993,"c":9007199254740994,"d":0.1234567890123456789012345678,"third":0.3}',
    )
  })

  it('let the result of an expression be any value', () => {
    expect(transformed({ expression: 'a' }, '{"a":[1]}')).toBe('[1]')
    expect(transformed({ expression: 'missing' }, '{}')).toBe('null')
  })

  it('do not look at the payload when the expression does not', () => {
    expect(transformed({ expression: '{ source: meta.source }' }, Buffer.from([0xff]), { source: 'x' })).toBe(
      '{"source":"x"}',
    )
  })

  it('fail with the place in the expression', () => {
    expect(transformed({ expression: '{ n: a - 1 }' }, '{"a":"x"}')).toMatch(
      /^transform failed at \$ \[expression\]: line 1, column \d+: /,
    )
    expect(transformed({ expression: '{ n: a }' }, '[1]')).toMatch(
      /^transform failed at \$ \[json\]: the payload is not a JSON object/,
    )
  })
})
