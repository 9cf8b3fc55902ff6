import { describe, expect, it } from 'vitest'
import { compileExpression, EvaluationError, fromJson, type Site, toJson } from '../src/index.ts'
import { documentOf, evaluate, run } from './support/documents.ts'

describe('what an expression reads', () => {
  it('is known once it is compiled', () => {
    const expression = compileExpression(
      'order.status == "open" and meta.kind != meta["a.b"] and items[0].sku == x["p.q"] and state.n > 1',
      { roots: ['state', 'other'] },
    )
    expect(expression.payloadPaths).toEqual(['order.status', 'items[0].sku', 'x["p.q"]'])
    expect(expression.metadataKeys).toEqual(['kind', 'a.b'])
    expect(expression.roots).toEqual(['state'])
    expect(expression.readsWholePayload).toBe(false)
    expect(expression.readsAllMetadata).toBe(false)
    expect(compileExpression('$root').readsWholePayload).toBe(true)
    expect(compileExpression('keys(meta)').readsAllMetadata).toBe(true)
    expect(compileExpression('$root.a').payloadPaths).toEqual(['a'])
  })

  it('leaves the payload alone where no field of it is named', () => {
    for (const source of ['meta.kind == "a"', '1 + 1 == 2', 'a = 1; a + 1 == 2'])
      expect(compileExpression(source).test(documentOf('not JSON at all', { kind: 'a' }))).toBe(true)
  })

  it('takes names literally, whatever they mean to JavaScript', () => {
    const payload = '{"__proto__":{"a":1},"constructor":2,"toString":3,"a.b":4,"x[0]":5,"\\"":6}'
    expect(run('[__proto__.a, constructor, toString, $root["a.b"], $root["x[0]"]]', payload)).toBe(
      '[1,2,3,4,5]',
    )
    expect(run('[valueOf, hasOwnProperty.call, {}.constructor, {}.__proto__]', '{}')).toBe(
      '[null,null,null,null]',
    )
    expect(run('{ ["__proto__"]: 1, constructor: 2 }', '{}')).toBe('{"__proto__":1,"constructor":2}')
    expect(run('merge([{ ["__proto__"]: { x: 1 } }, { a: 2 }])', '{}')).toBe('{"__proto__":{"x":1},"a":2}')
    expect(run('mergeDeep([$root, { ["__proto__"]: { b: 1 } }])', payload)).toContain(
      '"__proto__":{"a":1,"b":1}',
    )
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })

  it('hides payload fields behind roots, metadata, aliases and assigned names', () => {
    const payload = '{"state":1,"meta":2,"x":[3],"y":4}'
    const expression = compileExpression('[state, meta.k, map(x as y, y), $root.state]', { roots: ['state'] })
    expect(toJson(expression.evaluate(documentOf(payload, { k: 'v' }), [fromJson('"s"')]))).toBe(
      '["s","v",[3],1]',
    )
    expect(toJson(expression.evaluate(documentOf(payload)))).toBe('[null,null,[3],1]')
    expect(run('y = y + 1; [y, $root.y]', payload)).toBe('[5,5]')
  })
})

describe('numeric literals beside fields', () => {
  it.each([
    ['meta.http_status_code >= 400', true],
    ['meta.http_status_code == 404', true],
    ['404 == meta.http_status_code', true],
    ['300 > meta.http_status_code', false],
    ['meta.http_status_code in [404, 500]', true],
    ['meta.http_status_code in [400..499]', true],
    ['meta.http_status_code not in [-1, 500]', true],
    ['zip == "01234"', true],
    ['zip == 1234', true],
    ['zip == "1234"', false],
    ['amount > 12.49', true],
    ['amount == 12.5', true],
    ['amount != 12.5', false],
    ['name == 12', false],
    ['name != 12', true],
    ['escaped == "a/b"', true],
    ['escaped == 1', false],
    ['$root.amount >= -1', true],
    ['o["a b"] < 8', true],
  ])('%s', (source, value) => {
    const payload = '{"zip":"01234","amount":" 12.50 ","name":"x","escaped":"a\\/b","o":{"a b":"7"}}'
    expect(run(source, payload, { http_status_code: '404' })).toBe(String(value))
  })

  it.each(['meta.a > meta.b', 'amount > 100 * 2', 'name > 5', '[amount][0] > 5'])(
    '%s needs number(…)',
    source => {
      const payload = '{"amount":"12.5","name":"x"}'
      expect(() => run(source, payload, { a: '2', b: '1' })).toThrow(EvaluationError)
    },
  )
})

describe('a predicate', () => {
  const test = (source: string, payload: string, places: Site[] = []): boolean =>
    compileExpression(source, { purpose: 'predicate', onMissing: place => places.push(place) }).test(
      documentOf(payload),
    )

  it.each([
    ['amount > 100 or vip', '{"vip":true}', true],
    ['not (amount > 100)', '{}', true],
    ['amount > 100', '{}', false],
    ['amount <= 100', '{"amount":null}', false],
    ['amount > 100', '{"amount":{"a":1}}', false],
    ['amount * 2 > 100 or vip', '{"vip":true}', true],
    ['startsWith(name, "x") or vip', '{"vip":true}', true],
    ['len(name) > 3', '{}', false],
    ['not deleted', '{}', true],
    ['deleted and vip', '{"vip":true}', false],
    ['deleted ? false : true', '{}', true],
    ['some(items, #.a > 1) or vip', '{"vip":true}', true],
    ['amount in [1..5]', '{}', false],
    ['amount not in [1..5]', '{}', true],
    ['-amount < 5', '{}', false],
    ['amount == null', '{}', true],
    ['name > 5', '{"name":"x"}', false],
    ['not (name <= 5)', '{"name":""}', true],
    ['vip > 5 or vip', '{"vip":true}', true],
    ['amount > limit', '{"amount":5,"limit":"4"}', false],
    ['name in [1..5]', '{"name":"x"}', false],
    ['name not in [1..5]', '{"name":"x"}', true],
  ])('%s of %s is %s', (source, payload, value) => {
    expect(test(source, payload)).toBe(value)
  })

  it('says where a value was missing', () => {
    const places: Site[] = []
    test('a == 1 or\n b > 2', '{}', places)
    expect(places).toEqual([{ source: 'a == 1 or\n b > 2', offset: 13 }])
  })

  it('must come out true or false', () => {
    expect(() => test('name', '{"name":"x"}')).toThrow(
      'the result is a text, not true or false; compare it with something',
    )
    expect(() => test('name', '{}')).toThrow('the result is null, not true or false')
    expect(() => test('name > other', '{"name":"x","other":"y"}')).toThrow(
      '> needs two numbers or two dates, not a text and a text',
    )
  })

  it('is strict about absent values elsewhere', () => {
    expect(() => run('amount > 100', '{}')).toThrow(
      'line 1, column 8: > needs two numbers or two dates, not null and a number; give a value for the absent case with ??',
    )
  })
})

describe('payloads that can not be read', () => {
  it.each([
    ['', 'the payload is empty, so it has no fields; send a JSON object, or drop what is none'],
    ['  ', 'the payload is empty, so it has no fields; send a JSON object, or drop what is none'],
    [
      'null',
      'the payload is not a JSON object, so it has no fields; send a JSON object, or drop what is none',
    ],
    [
      '[1]',
      'the payload is not a JSON object, so it has no fields; send a JSON object, or drop what is none',
    ],
    ['{"a":1', 'the payload is not JSON at byte 6: a , or } is expected; send JSON, or drop what is none'],
    [
      '{"a":1} x',
      'the payload is not JSON at byte 8: more follows after the end of the document; send JSON, or drop what is none',
    ],
  ])('%j', (payload, message) => {
    const error = (() => {
      try {
        return evaluate('a == 1', payload)
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toBeInstanceOf(EvaluationError)
    expect(error).toMatchObject({ kind: 'payload', message })
  })

  it('are no matter for the next one', () => {
    const expression = compileExpression('a')
    expect(() => expression.evaluate(documentOf('{'))).toThrow(EvaluationError)
    expect(expression.evaluate(documentOf('{"a":1}'))).toBe(1)
    expect(expression.evaluate(documentOf('{}'))).toBe(null)
  })

  it('may be of any kind where the whole of it is read', () => {
    expect(run('$root', '[1, 2]')).toBe('[1, 2]')
    expect(run('len($root)', '[1,2]')).toBe('2')
  })
})

describe('results', () => {
  it('keep what they only pass on as it stands', () => {
    const payload =
      '{"a":1.0,"b":-0,"c":1e400,"d":0.1234567890123456789012345678901234567890,"e":9007199254740993,"f":1.50,"g":{"x" : [1.0, {}]},"h":"\\u00e4"}'
    expect(run('{ a: a, b: b, c: c, d: d, e: e, f: f, g: g, h: h }', payload)).toBe(
      '{"a":1.0,"b":-0,"c":1e400,"d":0.1234567890123456789012345678901234567890,"e":9007199254740993,"f":1.50,"g":{"x" : [1.0, {}]},"h":"ä"}',
    )
    expect(run('g.x[0] + 1', payload)).toBe('2')
    expect(run('map([c], 1)', payload)).toBe('[1]')
    expect(() => run('c + 1', payload)).toThrow(
      'line 1, column 3: the number has more than 28 digits before the point',
    )
  })

  it('stand on one line, also where the payload does not', () => {
    const payload = '{ "a": {\n  "x y" : [ 1.0,\r\n "b\\" \\\\" ] },\n "c": [ 1, 2 ] }'
    expect(run('[a, c]', payload)).toBe('[{"x y":[1.0,"b\\" \\\\"]},[ 1, 2 ]]')
  })

  it('are exact', () => {
    expect(
      run('[0.1 + 0.2 == 0.3, 9007199254740993 + 1, 1 / 3, a + 1, 10 / 4]', '{"a":9007199254740993}'),
    ).toBe('[true,9007199254740994,0.3333333333333333333333333333,9007199254740994,2.5]')
    expect(run('[a * 1000, 3 * 0.5, 1.50 * 2]', '{"a":0.0010}')).toBe('[1,1.5,3]')
  })

  it('have fractions as the shortest double where that is asked for, and whole numbers with every digit', () => {
    const value = evaluate(
      '[1 / 3, 0.1 + 0.2, 2 / 1.0, a, b, c]',
      '{"a":1.0,"b":12345678901234567890123,"c":[0.50]}',
    )
    expect(toJson(value, 'shortest')).toBe('[0.3333333333333333,0.3,2,1,12345678901234567890123,[0.5]]')
    expect(toJson(fromJson('{"a":1e400,"b":[-0]}'), 'shortest')).toBe('{"a":1e400,"b":[0]}')
  })

  it('come back from JSON with every digit', () => {
    const text = '{"s":100.12345678901234567890,"w":1,"list":[null,true,"x"]}'
    expect(toJson(fromJson(text))).toBe(text)
    expect(() => fromJson('{')).toThrow(SyntaxError)
  })

  it('keep the order of fields, and write dates and intervals as text', () => {
    expect(run("{ z: 1, a: d('2023-10-15'), m: [1..5) }")).toBe(
      '{"z":1,"a":"2023-10-15T00:00:00Z","m":"[1..5)"}',
    )
  })
})

describe('aggregation over a state', () => {
  it('goes on exactly, from value to value and through a store', () => {
    const expression = compileExpression(
      '{ s: (state.s ?? 0) * 0.99 + reading, w: (state.w ?? 0) * 0.99 + 1 }',
      {
        roots: ['state'],
      },
    )
    let state = fromJson('null')
    let stored = 'null'
    for (let step = 0; step < 200; step++) {
      const document = documentOf(JSON.stringify({ reading: (step % 17) / 4 }))
      state = expression.evaluate(document, [state])
      stored = toJson(expression.evaluate(document, [fromJson(stored)]))
    }
    expect(toJson(state)).toBe(stored)
    expect(stored).toMatch(/^\{"s":\d+\.\d{20,},"w":\d+\.\d{20,}\}$/)
  })
})
