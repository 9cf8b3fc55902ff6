import { describe, expect, it } from 'vitest'
import { MqbError } from '../../src/errors/mqb-error.ts'
import { createLogger, createSecrets, type LoggerOptions, parseLogFilter } from '../../src/observe/index.ts'

const noon = { now: () => Date.UTC(2026, 0, 2, 12) }

function capture(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = []
  return { lines, log: createLogger({ clock: noon, sink: line => lines.push(line), ...options }) }
}

describe('log filter', () => {
  const written = (text: string, target: string) => {
    const { filter, problems } = parseLogFilter(text, 'info')
    expect(problems).toEqual([])
    const { lines, log } = capture({ level: filter })
    const part = log.child(target)
    for (const level of ['error', 'warn', 'info', 'debug', 'trace'] as const) part[level](level)
    return lines.length
  }

  it('takes a bare level for everything', () => {
    expect(written('warn', 'x')).toBe(2)
    expect(written('off', 'x')).toBe(0)
    expect(written('TRACE', 'x')).toBe(5)
    expect(written('', 'x')).toBe(3)
  })

  it('takes levels for parts, wherever they stand in the target', () => {
    const text = 'warn,core=debug,kafka=trace'
    expect(written(text, 'file')).toBe(2)
    expect(written(text, 'core.route')).toBe(4)
    expect(written(text, 'core.kafka')).toBe(5)
    expect(written(text, 'orders.kafka.consumer')).toBe(5)
    expect(written(text, 'kafkaesque')).toBe(2)
  })

  it('lets the more specific part win, and treats - as _', () => {
    expect(written('core=trace,core.route=error', 'core.route')).toBe(1)
    expect(written('stream-buffer=trace', 'stream_buffer')).toBe(5)
  })

  it('says which directive it cannot read and keeps the others', () => {
    const { filter, problems } = parseLogFilter('loud,core=debug,kafka=,=info,a=b=c', 'warn')
    expect(problems).toHaveLength(4)
    expect(problems[0]).toBe(
      '"loud" is neither a level (off, error, warn, info, debug, trace) nor PART=LEVEL, such as kafka=debug',
    )
    expect(filter.rank).toBe(2)
    expect(filter.parts).toHaveLength(1)
  })
})

describe('plain lines', () => {
  it('show time, level, target, text and fields', () => {
    const { lines, log } = capture()
    log
      .child('core')
      .child('route', { route: 'orders' })
      .warn('slow', { code: 'MQB_SLOW', took: '3 s', rows: 3 })
    log.info('hello')
    expect(lines).toEqual([
      '2026-01-02T12:00:00.000Z WARN  core.route: slow route=orders code=MQB_SLOW took="3 s" rows=3',
      '2026-01-02T12:00:00.000Z INFO  hello',
    ])
  })

  it('cannot be forged or used to move the cursor', () => {
    const { lines, log } = capture()
    log.error('broken\n2026 INFO all is well\u001b[2J\rx', { reason: 'a\nb' })
    expect(lines[0]).toBe(
      '2026-01-02T12:00:00.000Z ERROR broken\n    2026 INFO all is well\\x1b[2J\\x0dx reason="a\\nb"',
    )
  })

  it('have colours only when asked', () => {
    const { lines, log } = capture({ color: true })
    log.error('x')
    expect(lines[0]).toContain('\u001b[31mERROR\u001b[0m')
  })
})

describe('JSON lines', () => {
  it('are one object each, with the fields in a place of their own', () => {
    const { lines, log } = capture({ format: 'json' })
    log.child('file').error('two\nlines', { code: 'MQB_X', time: 'theirs', big: 2n ** 60n, none: undefined })
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain('\n')
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      time: '2026-01-02T12:00:00.000Z',
      level: 'error',
      target: 'file',
      message: 'two\nlines',
      fields: { code: 'MQB_X', time: 'theirs', big: '1152921504606846976' },
    })
  })

  it('carry errors, bytes, dates, odd numbers and circles as values that JSON has', () => {
    const { lines, log } = capture({ format: 'json' })
    const circle: Record<string, unknown> = {}
    circle.self = circle
    const error = new MqbError({ kind: 'retryable', code: 'MQB_BUSY', what: 'busy', cause: new Error('503') })
    log.info('x', {
      error,
      plain: new Error('p'),
      bytes: Buffer.from('abc'),
      nan: Number.NaN,
      circle,
      at: new Date(0),
    })
    const { fields } = JSON.parse(lines[0] ?? '')
    expect(fields).toMatchObject({
      error: { code: 'MQB_BUSY', kind: 'retryable', message: 'MQB_BUSY: busy: 503' },
      plain: 'p',
      bytes: '3 bytes',
      nan: 'NaN',
      at: '1970-01-01T00:00:00.000Z',
    })
  })
})

describe('redaction', () => {
  it('takes known secrets out of texts, fields, keys and causes in both formats', () => {
    for (const format of ['plain', 'json'] as const) {
      const secrets = createSecrets()
      const { lines, log } = capture({ format, secrets })
      secrets.add('h"unt\ner2')
      const cause = new Error('login h"unt\ner2 refused')
      log.error('no h"unt\ner2', {
        error: new MqbError({ kind: 'connection', code: 'MQB_X', what: 'refused', cause }),
        deep: [{ 'h"unt\ner2': ['h"unt\ner2'] }],
      })
      expect(lines.join()).not.toMatch(/unt/)
    }
  })
})

describe('levels', () => {
  it('cost nothing and say so when they are not written', () => {
    const { lines, log } = capture({ level: 'warn' })
    expect([log.isEnabled('warn'), log.isEnabled('info')]).toEqual([true, false])
    log.info('x')
    expect(lines).toEqual([])
  })
})
