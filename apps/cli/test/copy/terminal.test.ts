import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ensureBuilt } from '../support/build.ts'
import { bin, cleanEnvironment, follow, nodeFlags } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const plugin = join(import.meta.dirname, '..', 'fixtures', 'trouble.mjs')
const slowCopy = `copy file:a.jsonl 'trouble://x?delay_ms=1300' --batch-size 1 --concurrency 1 --drain --plugin ${plugin}`

/** `script` of util-linux runs a command on a pseudo terminal. */
const hasScript = (() => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
})()

describe('on a terminal', () => {
  it.skipIf(!hasScript)('a copy of more than two seconds shows its progress in one line', async () => {
    await ensureBuilt()
    const at = scratch()
    at.write('a.jsonl', '{"n":0}\n{"n":1}\n')
    const command = `${process.execPath} ${nodeFlags.join(' ')} ${bin} ${slowCopy}`
    const run = follow(
      spawn('script', ['--quiet', '--return', '--command', command, at.path('typescript')], {
        cwd: at.folder,
        env: cleanEnvironment({ TERM: 'xterm' }),
      }),
    )
    const { stdout, code } = await run.done
    const shown = stdout.replaceAll('\r\u001b[K', '<erased>')
    expect(code).toBe(0)
    expect(shown).toMatch(/<erased>1 rows in 2s \(\d+ rows\/s\)/)
    // Taken away before the summary.
    expect(shown).toMatch(/<erased>copied 2 rows in 2\.\d\ds \(1 rows\/s\)\r\n$/)
  })

  it('that is none there is no progress', async () => {
    await ensureBuilt()
    const at = scratch()
    at.write('a.jsonl', '{"n":0}\n{"n":1}\n')
    const run = follow(
      spawn('sh', ['-c', `${process.execPath} ${nodeFlags.join(' ')} ${bin} ${slowCopy}`], {
        cwd: at.folder,
        env: cleanEnvironment(),
      }),
    )
    const { stdout, stderr } = await run.done
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^copied 2 rows/)
  })
})
