import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkNode } from '../node-version.mjs'
import { Report } from '../report.mjs'
import { run } from '../run-command.mjs'

describe('the version of Node', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0', '100.1.0'])('%s will do', version => {
    expect(checkNode(version)).toBeUndefined()
  })

  it.each(['20.18.3', '18.20.8', '9.11.2'])(
    '%s is too old, and the message says what to install',
    version => {
      expect(checkNode(version)).toMatch(
        new RegExp(`needs Node 20\\.19 .* this is Node ${version}\\.\n.*nvm install`),
      )
    },
  )
})

describe('the report', () => {
  let folder: string
  let printed: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mqb-report-'))
    printed = ''
    vi.spyOn(process.stdout, 'write').mockImplementation(text => {
      printed += text
      return true
    })
  })

  afterEach(() => {
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true, force: true })
  })

  const ends =
    (code: number, output = '') =>
    async () => ({ code, output })
  const lastLine = () => printed.trimEnd().split('\n').at(-1)

  it('adds phases and single tests up in the last line', async () => {
    const report = new Report()
    await report.phase('types', ends(0))
    await report.tests('tests', join(folder, 'tests.json'), async file => {
      writeFileSync(
        file,
        JSON.stringify({
          passed: 7,
          failed: 0,
          skipped: [{ file: 'a.test.ts', name: 'a > b', reason: 'no server' }],
        }),
      )
      return { code: 0, output: '' }
    })
    expect(report.finish()).toBe(0)
    expect(lastLine()).toBe('8 passed, 0 failed, 1 skipped')
    expect(printed).toContain('  no server\n    a.test.ts: a > b\n')
  })

  it('shows what a failed phase printed, and fails', async () => {
    const report = new Report()
    await report.phase('lint', ends(1, 'a.ts: unused import\n'))
    await report.phase('types', ends(0, 'chatter'))
    expect(report.finish()).toBe(1)
    expect(printed).toContain('a.ts: unused import')
    expect(printed).not.toContain('chatter')
    expect(printed).toContain('failed: lint')
    expect(lastLine()).toBe('1 passed, 1 failed, 0 skipped')
  })

  it('counts a test run that died without a summary as a failure', async () => {
    const report = new Report()
    await report.tests('tests', join(folder, 'none.json'), ends(1))
    expect(report.finish()).toBe(1)
    expect(lastLine()).toBe('0 passed, 1 failed, 0 skipped')
  })

  it('counts a test run that ends badly with all its tests passed as a failure', async () => {
    const report = new Report()
    await report.tests('tests', join(folder, 'tests.json'), async file => {
      writeFileSync(file, JSON.stringify({ passed: 7, failed: 0, skipped: [] }))
      return { code: 1, output: '' }
    })
    report.finish()
    expect(lastLine()).toBe('7 passed, 1 failed, 0 skipped')
  })
})

describe('running a command', () => {
  const options = { cwd: process.cwd(), env: process.env, show: 'on-failure' } as const

  it('keeps its output and its code', async () => {
    const script = 'console.log("out"); console.error("err"); process.exitCode = 3'
    const { code, output } = await run([process.execPath, '-e', script], options)
    expect(code).toBe(3)
    expect(output.split('\n').sort()).toEqual(['', 'err', 'out'])
  })

  it('gives it no standard input to wait for', async () => {
    expect((await run([process.execPath, '-e', 'process.stdin.resume()'], options)).code).toBe(0)
  })

  it('fails when the command does not exist or was killed', async () => {
    const missing = await run(['mqb-no-such-command'], options)
    expect(missing).toMatchObject({ code: 1, output: expect.stringContaining('mqb-no-such-command') })
    expect((await run([process.execPath, '-e', 'process.kill(process.pid)'], options)).code).toBe(1)
  })
})
