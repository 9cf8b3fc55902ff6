import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSecrets } from '../../src/observe/index.ts'

const awkward = 's3cr^t/p@ss#1 "x"\\y\n$z%41+ü€'

function knowing(...values: string[]) {
  const secrets = createSecrets()
  for (const value of values) secrets.add(value)
  return secrets
}

describe('a known secret in a text', () => {
  const forms: [string, (value: string) => string][] = [
    ['as it is', value => value],
    ['percent-encoded as a component', encodeURIComponent],
    [
      'percent-encoded in lower case',
      value => encodeURIComponent(value).replace(/%../g, hex => hex.toLowerCase()),
    ],
    [
      'percent-encoded throughout',
      value => [...Buffer.from(value)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    ],
    ['percent-encoded twice', value => encodeURIComponent(encodeURIComponent(value))],
    ['in a form body', value => new URLSearchParams({ v: value }).toString().slice(2)],
    ['as JSON text', value => JSON.stringify(value).slice(1, -1)],
    ['as base64', value => Buffer.from(value).toString('base64')],
    ['as base64url', value => Buffer.from(value).toString('base64url')],
    ['as hex', value => Buffer.from(value).toString('hex')],
    ['as hex in capitals', value => Buffer.from(value).toString('hex').toUpperCase()],
  ]
  for (const [title, form] of forms) {
    it(`is hidden ${title}`, () => {
      expect(knowing(awkward).scrub(`before ${form(awkward)} after`)).toMatch(
        /^before \*\*\*[A-Za-z0-9+/=_-]{0,4} after$/,
      )
    })
  }

  it('is hidden in the middle of a longer base64 text, whatever stands before it', () => {
    for (const user of ['a', 'ab', 'abc', 'abcd']) {
      const header = Buffer.from(`${user}:hunter22:more`).toString('base64')
      const scrubbed = knowing('hunter22').scrub(`Basic ${header}`)
      expect(scrubbed).toContain('***')
      expect(Buffer.from(scrubbed.slice(6), 'base64').toString('latin1')).not.toContain('hunter')
    }
  })

  it('is hidden as a whole when it holds another one', () => {
    expect(knowing('abcd', 'abcdefgh').scrub('x abcdefgh y abcd')).toBe('x *** y ***')
  })

  it('is hidden line by line when it is a key of many lines', () => {
    const key = `-----BEGIN KEY-----\n${'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo'.repeat(3)}\n${'c2Vjb25kbGluZXNlY29uZGxpbmU'.repeat(3)}\n-----END KEY-----\n`
    const scrubbed = knowing(key).scrub(`cannot read ${key.split('\n')[2]}`)
    expect(scrubbed).toBe('cannot read ***')
    expect(knowing(key).scrub('-----BEGIN KEY-----')).toBe('-----BEGIN KEY-----')
  })

  it('is found whatever it is made of', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4, maxLength: 40, unit: 'binary' }), value => {
        const text = `a ${value} b ${encodeURIComponent(value)} c`
        const left = knowing(value).scrub(text)
        expect(left.replaceAll('***', '')).not.toContain(value.trim() === '' ? '\u0000' : `a ${value} b`)
        expect(left).not.toContain(` ${encodeURIComponent(value)} c`)
      }),
    )
  })

  it('leaves other texts alone', () => {
    expect(knowing('hunter22').scrub('hunter2 Hunter22 aHVudGVy')).toBe('hunter2 Hunter22 aHVudGVy')
  })

  it('is not searched when it is shorter than four characters', () => {
    expect(knowing('abc', '').scrub('abc abcd')).toBe('abc abcd')
  })
})

describe('a secret that nobody declared', () => {
  const { scrub } = createSecrets()
  const cases: [string, string][] = [
    ['postgres://bob:s3cr^t/p@ss#1@db:5432/x failed', 'postgres://bob:***@db:5432/x failed'],
    ['redis://:pw@cache', 'redis://:***@cache'],
    ['nats://a:b1@h1:4222,nats://c:d2@h2:4222', 'nats://a:***@h1:4222,nats://c:***@h2:4222'],
    ['bad URL "amqp://u:p:q@[::1]/"', 'bad URL "amqp://u:***@[::1]/"'],
    ['host=db password=abc user=x', 'host=db password=*** user=x'],
    ["PGPASSWORD='a b' psql", 'PGPASSWORD=*** psql'],
    ['http://h/?access_token=abc&x=1', 'http://h/?access_token=***&x=1'],
    ['{"sasl_password": "a\\"b", "user": "u"}', '{"sasl_password": "***", "user": "u"}'],
    ['Authorization: Bearer abc.def', 'Authorization: Bearer ***'],
  ]
  for (const [text, expected] of cases) it(`is hidden in ${text}`, () => expect(scrub(text)).toBe(expected))

  const harmless = [
    'http://localhost:8080/users/a@b',
    'unexpected token: }',
    'postgres://bob:${PGPASSWORD}@db/x',
    'password=${DB_PASSWORD}',
    'postgres://bob@db/x',
    'the password is missing',
  ]
  for (const text of harmless) it(`leaves ${text}`, () => expect(scrub(text)).toBe(text))
})
