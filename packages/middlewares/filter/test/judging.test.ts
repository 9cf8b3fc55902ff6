import { Message, MqbError } from '@mqb/core'
import { createTestOpening } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { Selector } from '../src/selector.ts'

/** What a filter says about one message: kept, left out, or the code of the error. */
function judge(expression: string, message: Message | string): boolean | string {
  const selector = new Selector({ expression, on_error: 'fail' }, createTestOpening())
  try {
    return selector.select([typeof message === 'string' ? new Message(message) : message]).length === 1
  } catch (error) {
    if (!MqbError.is(error)) throw error
    return `${error.kind} ${error.code}`
  }
}

const unreadable = 'permanent MQB_EXPRESSION_PAYLOAD'
const unfit = 'permanent MQB_EXPRESSION_VALUE'

describe('a payload', () => {
  const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const payloads: readonly [name: string, payload: Buffer | string | null, withField: boolean | string][] = [
    ['that is empty', '', unreadable],
    ['that is null', null, unreadable],
    ['that is the JSON text null', 'null', unreadable],
    ['that is a list', '[{"n":1}]', unreadable],
    ['that is a number', '17', unreadable],
    ['that is a text', '"n"', unreadable],
    ['that is no JSON', 'n=1', unreadable],
    ['that is cut off', '{"n":1', unreadable],
    ['with something behind it', '{"n":1} x', unreadable],
    ['that is not UTF-8', Buffer.from([0xff, 0xfe, 0x7b, 0x7d]), unreadable],
    ['with bytes in a text that are not UTF-8', Buffer.from('{"t":"\xff\xfe","n":1}', 'latin1'), true],
    ['of 50 MB', `{"filler":"${'x'.repeat(50_000_000)}","n":1}`, true],
    ['of 10 000 levels', `{"deep":${deep(10_000)},"n":1}`, true],
    ['with a byte order mark', '\ufeff{"n":1}', unreadable],
    ['with white space around it', ' \r\n\t{"n" : 1 } \n', true],
  ]

  it.each(payloads)('%s is read, or refused', (_, payload, expected) => {
    expect(judge('n == 1', new Message(payload))).toBe(expected)
  })

  it.each(payloads)('%s is never looked at where no field is named', (_, payload) => {
    expect(judge('meta.kind == "a" or 1 + 1 == 2', new Message(payload))).toBe(true)
  })
})

describe('an expression', () => {
  it('of 100 kB is compiled and evaluated', () => {
    const terms = Array.from({ length: 6000 }, (_, index) => `n != ${index + 2}`)
    const expression = terms.join(' and ')
    expect(expression.length).toBeGreaterThan(75_000)
    expect(judge(`${expression} and name != "${'x'.repeat(30_000)}"`, '{"n":1}')).toBe(true)
  })

  it.each([
    ['$root["a.b"] == 1', '{"a.b":1,"a":{"b":2}}'],
    ['$root["a[0]"] == 1', '{"a[0]":1}'],
    [`$root['quo"te'] == 1`, '{"quo\\"te":1}'],
    ['__proto__ == 1', '{"__proto__":1}'],
    ['constructor == 1 and toString == null', '{"constructor":1}'],
    ['ü == "ß"', '{"\\u00fc":"\\u00df"}'],
  ])('reads fields with odd names: %s', (expression, payload) => {
    expect(judge(expression, payload)).toBe(true)
  })

  it('takes the last one of fields with the same name', () => {
    expect(judge('n == 2', '{"n":1,"n":2}')).toBe(true)
  })

  it('that gives neither true nor false is an error', () => {
    for (const expression of ['n', 'n + 1', '"true"', 'null', 'text'])
      expect(judge(expression, '{"n":1,"text":"true"}')).toBe(unfit)
  })
})

describe('integers beyond 2^53', () => {
  const payload = '{"id":9007199254740993,"n":-9223372036854775808,"u":18446744073709551615,"x":1.0,"y":1e2}'

  it.each([
    ['id == 9007199254740993', true],
    ['id == 9007199254740992', false],
    ['id == 9007199254740994', false],
    ['n == -9223372036854775808', true],
    ['n == -9223372036854775807', false],
    ['u == 18446744073709551615', true],
    ['u > 18446744073709551614', true],
    ['u > 18446744073709551615', false],
    ['x == 1 and y == 100', true],
  ])('are compared exactly: %s', (expression, expected) => {
    expect(judge(expression, payload)).toBe(expected)
  })
})

describe('absent, null, empty and wrong values', () => {
  const payloads = [
    '{}',
    '{"e":null}',
    '{"e":""}',
    '{"e":"x"}',
    '{"e":5}',
    '{"e":"5"}',
    '{"e":[5]}',
    '{"e":true}',
  ]
  const judged = (expression: string) => payloads.map(payload => judge(expression, payload))

  it('have one answer each', () => {
    expect(judged('e == null')).toEqual([true, true, false, false, false, false, false, false])
    expect(judged('e != null')).toEqual([false, false, true, true, true, true, true, true])
    expect(judged('e == 5')).toEqual([false, false, false, false, true, true, false, false])
    expect(judged('e == "5"')).toEqual([false, false, false, false, false, true, false, false])
    expect(judged('e > 4')).toEqual([false, false, false, false, true, true, false, false])
    expect(judged('e <= 4')).toEqual(payloads.map(() => false))
    expect(judged('not (e > 4)')).toEqual([true, true, true, true, false, false, true, true])
    expect(judged('e > 4 or meta.kind == null').slice(0, 2)).toEqual([true, true])
  })

  it('are told once per filter, not per message', () => {
    const opening = createTestOpening()
    const selector = new Selector({ expression: 'e > 4', on_error: 'fail' }, opening)
    selector.select(Array.from({ length: 100 }, () => new Message('{}')))
    expect(opening.log.lines.map(line => [line.level, line.fields.code])).toEqual([
      ['warn', 'MQB_EXPRESSION_MISSING'],
    ])
  })
})

describe('metadata', () => {
  const message = new Message('no JSON', { http_status_code: '404', zip: '01234', kind: 'a', 'x-y': '1' })

  it.each([
    ['meta.http_status_code >= 400', true],
    ['meta.http_status_code < 400', false],
    ['meta.http_status_code == 404', true],
    ['meta.zip == "01234"', true],
    ['meta.zip == "1234"', false],
    ['meta.zip == 1234', true],
    ['meta["x-y"] == 1', true],
    ['meta.absent == null', true],
    ['meta.kind == "a" && !(meta.kind == "b")', true],
    ['meta.absent > 1 || meta.kind == "a"', true],
  ])('is text that a numeric literal reads as a number: %s', (expression, expected) => {
    expect(judge(expression, message)).toBe(expected)
  })
})
