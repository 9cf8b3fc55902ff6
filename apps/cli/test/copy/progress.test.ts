import { Writable } from 'node:stream'
import { createFakeClock } from '@mqb/testkit'
import { describe, expect, it } from 'vitest'
import { showProgress } from '../../src/copy/progress.ts'
import { createTerminal, type Streams, useColor } from '../../src/process/terminal.ts'

class Capture extends Writable {
  text = ''
  readonly columns = 40
  readonly isTTY: boolean

  constructor(isTTY: boolean) {
    super()
    this.isTTY = isTTY
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

function screen(isTerminal: boolean): { stdout: Capture; stderr: Capture } & Streams {
  return { stdout: new Capture(isTerminal), stderr: new Capture(isTerminal), env: {} }
}

describe('progress', () => {
  it('appears after two seconds, is rewritten, and goes', async () => {
    const clock = createFakeClock()
    const streams = screen(true)
    const terminal = createTerminal('never', streams)
    let rows = 0
    const hide = showProgress(terminal, clock, () => rows)
    await clock.advance(1_999)
    expect(streams.stderr.text).toBe('')
    rows = 20_000
    await clock.advance(1)
    expect(streams.stderr.text).toBe('\r\u001b[K20_000 rows in 2s (10_000 rows/s)')
    await clock.advance(200)
    terminal.err('a log line')
    expect(streams.stderr.text.endsWith('\r\u001b[Ka log line\n20_000 rows in 2s (9_091 rows/s)')).toBe(true)
    hide()
    expect(streams.stderr.text.endsWith('\r\u001b[K')).toBe(true)
    expect(clock.pending).toBe(0)
    terminal.err('after')
    expect(streams.stderr.text.endsWith('\r\u001b[Kafter\n')).toBe(true)
  })

  it('is not shown where nobody looks', async () => {
    const clock = createFakeClock()
    const streams = screen(false)
    showProgress(createTerminal('auto', streams), clock, () => 1)()
    expect(clock.pending).toBe(0)
    expect(streams.stderr.text).toBe('')
  })

  it('takes no more than one line of the terminal', () => {
    const streams = screen(true)
    createTerminal('never', streams).statusLine('x'.repeat(100))
    expect(streams.stderr.text).toBe(`\r\u001b[K${'x'.repeat(39)}`)
  })
})

describe('the terminal', () => {
  it('survives a reader that went away', async () => {
    const streams = screen(false)
    const terminal = createTerminal('auto', streams)
    streams.stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    terminal.out('lost')
    terminal.err('kept')
    await terminal.flushed()
    expect(streams.stderr.text).toBe('kept\n')
    expect([terminal.readerGone, terminal.stdoutFailure]).toEqual([true, undefined])
  })

  it('has colours when it is one, unless told otherwise', () => {
    expect(useColor('auto', true, {})).toBe(true)
    expect(useColor('auto', true, { NO_COLOR: '' })).toBe(true)
    expect(useColor('auto', true, { NO_COLOR: '1' })).toBe(false)
    expect(useColor('auto', false, {})).toBe(false)
    expect(useColor('always', false, { NO_COLOR: '1' })).toBe(true)
    expect(useColor('never', true, {})).toBe(false)
  })
})
