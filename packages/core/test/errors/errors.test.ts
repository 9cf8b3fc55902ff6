import { describe, expect, it } from 'vitest'
import { describeThrown, EndOfStream, Gap, MqbError, toMqbError } from '../../src/index.ts'

describe('an error', () => {
  it('says where, what and how to mend it in one line', () => {
    const error = new MqbError({
      kind: 'config',
      code: 'MQB_X',
      where: 'orders.input',
      what: 'no url',
      mend: 'add one',
    })
    expect(error.message).toBe('MQB_X orders.input: no url (add one)')
  })

  it('keeps kind and code of an error deep in the chain of causes', () => {
    const deep = new MqbError({ kind: 'permanent', code: 'MQB_DEEP', what: 'deep' })
    const wrapped = toMqbError(
      new Error('outer', { cause: new Error('middle', { cause: deep }) }),
      'retryable',
    )
    expect([wrapped.kind, wrapped.code]).toEqual(['permanent', 'MQB_DEEP'])
  })

  it.each([undefined, null, '', 'text', 42, { a: 1 }, Symbol('x'), 10n, Object.create(null)])(
    'is made of anything that is thrown: %s',
    thrown => {
      const error = toMqbError(thrown, 'connection', 'here')
      expect(error.kind).toBe('connection')
      expect(error.where).toBe('here')
      expect(error.what).not.toBe('')
    },
  )

  it('follows the retryable flag that simple code may set', () => {
    expect(toMqbError(Object.assign(new Error('x'), { retryable: false }), 'retryable').kind).toBe(
      'permanent',
    )
    expect(toMqbError(Object.assign(new Error('x'), { retryable: true }), 'connection').kind).toBe(
      'retryable',
    )
  })

  it('shows the chain of causes once, also when it is a circle', () => {
    const error = new Error('outer') as Error & { cause?: unknown }
    error.cause = new Error('outer', { cause: error })
    expect(describeThrown(error)).toBe('outer')
    expect(describeThrown(new Error('a', { cause: new Error('b') }))).toBe('a: b')
  })

  it('is told apart by brand, not by class', () => {
    expect(EndOfStream.is(new EndOfStream())).toBe(true)
    expect(Gap.is(new Gap({ requested: '5', base: '9' }))).toBe(true)
    expect(EndOfStream.is(new Gap({ requested: '5' }))).toBe(false)
    expect(MqbError.is(new Error('x'))).toBe(false)
  })
})

describe('an error with other parts', () => {
  it('keeps the rest, and the stack that says where it came from', () => {
    const cause = new Error('reset')
    const error = new MqbError({ kind: 'retryable', code: 'MQB_X', what: 'no', mend: 'wait', cause })
    const placed = error.with({ where: 'orders.output' })
    expect(placed).toMatchObject({
      kind: 'retryable',
      code: 'MQB_X',
      where: 'orders.output',
      mend: 'wait',
      cause,
    })
    expect(placed.message).toBe('MQB_X orders.output: no (wait)')
    expect(placed.stack).toBe(error.stack)
    expect(error.where).toBeUndefined()
  })
})
