import { spawn } from 'node:child_process'
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ensureBuilt } from '../support/build.ts'
import { bin, cleanEnvironment, follow, mqb, nodeFlags, startMqb } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const plugin = join(import.meta.dirname, '..', 'fixtures', 'trouble.mjs')
const summary = (rows: string): RegExp =>
  new RegExp(`^copied ${rows} in (\\d+ms|\\d+\\.\\d\\ds) \\([\\d_]+ rows/s\\)\\n$`)

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `{"n":${index}}\n`).join('')

describe('mqb copy', () => {
  it('copies a file to a file and says so on stdout', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(12_345))
    const run = await mqb(['copy', 'file:a.jsonl', 'file:b.jsonl', '--drain'], { cwd: at.folder })
    expect(run.stderr).toBe('')
    expect(run.stdout).toMatch(summary('12_345 rows'))
    expect(run.code).toBe(0)
    expect(at.read('b.jsonl')).toBe(at.read('a.jsonl'))
  })

  it('reads CSV by the ending of the path', async () => {
    const at = scratch()
    at.write('a.csv', 'id,name\n1,"x, y"\n2,z\n')
    const run = await mqb(['copy', 'file:a.csv', 'file:b.jsonl', '--drain'], { cwd: at.folder })
    expect(run.stdout).toMatch(summary('2 rows'))
    expect(at.json('b.jsonl')).toEqual([
      { id: '1', name: 'x, y' },
      { id: '2', name: 'z' },
    ])
  })

  it('works both ways in a pipe, with the summary on stderr', async () => {
    const run = await mqb(['copy', '-', '-'], { input: 'one\ntwo\nthree' })
    expect(run).toMatchObject({
      code: 0,
      stdout: 'one\ntwo\nthree\n',
      stderr: expect.stringMatching(summary('3 rows')),
    })
  })

  it('takes parameters on -', async () => {
    const run = await mqb(['copy', '-?format=csv', '-'], { input: 'a;b\n1;2\n' })
    expect(run.stdout).toBe('{"a;b":"1;2"}\n')
  })

  it('ends with 0 when the reader of stdout goes away', async () => {
    await ensureBuilt()
    const at = scratch()
    at.write('a.jsonl', numbered(300_000))
    const shell = follow(
      spawn(
        'sh',
        ['-c', `"$NODE" ${nodeFlags.join(' ')} "$BIN" copy file:a.jsonl - --drain | head -n 2; echo "end"`],
        {
          cwd: at.folder,
          env: cleanEnvironment({ NODE: process.execPath, BIN: bin }),
        },
      ),
    )
    const { stdout, stderr } = await shell.done
    expect(stdout).toBe('{"n":0}\n{"n":1}\nend\n')
    expect(stderr).not.toMatch(/EPIPE|Error|failed/)

    const child = await startMqb(['copy', 'file:a.jsonl', '-', '--drain'], { cwd: at.folder })
    child.process.stdout?.destroy()
    const ended = await child.done
    expect(ended.code).toBe(0)
    expect(ended.stderr).toMatch(/^stopped after copying [\d_]+ rows in /)
  })

  it.runIf(existsSync('/dev/full'))(
    'fails when its stdout has no space, and so does whatever else writes there',
    async () => {
      await ensureBuilt()
      const at = scratch()
      at.write('a.jsonl', numbered(3))
      at.write('routes.yaml', 'routes: {}\n')
      for (const args of [
        'copy file:a.jsonl - --drain',
        'copy file:a.jsonl -',
        '--schema -',
        'validate --config routes.yaml',
      ]) {
        const run = follow(
          spawn('sh', ['-c', `exec "$NODE" ${nodeFlags.join(' ')} "$BIN" ${args} > /dev/full`], {
            cwd: at.folder,
            env: cleanEnvironment({ NODE: process.execPath, BIN: bin }),
          }),
        )
        const { code, stderr } = await run.done
        expect(stderr, args).toMatch(/stdout failed: .*ENOSPC/)
        expect(code, args).toBe(1)
      }
    },
  )

  it('survives that nobody reads its stderr', async () => {
    const run = await startMqb(['copy', '-', '-', '-v'], { openInput: true })
    await run.saying(/INFO/)
    run.process.stderr?.destroy()
    run.process.stdin?.end('one\ntwo\n')
    expect(await run.done).toMatchObject({ code: 0, stdout: 'one\ntwo\n' })
  })

  it('ends at a limit, also without --drain', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(10_000))
    const run = await mqb(['copy', 'file:a.jsonl', 'file:b.jsonl', '--limit', '1_500'], { cwd: at.folder })
    expect(run.stdout).toMatch(summary('1_500 rows'))
    expect(run.code).toBe(0)
    expect(at.lines('b.jsonl')).toHaveLength(1_500)
    expect(at.read('a.jsonl').startsWith(at.read('b.jsonl'))).toBe(true)
  })

  it('waits for a late producer, then drains', async () => {
    const at = scratch()
    at.write('a.jsonl', '')
    const run = await startMqb(['copy', 'file:a.jsonl', 'file:b.jsonl', '--wait', '20', '-v'], {
      cwd: at.folder,
    })
    await run.saying(/ready|started|delivery/i)
    appendFileSync(at.path('a.jsonl'), numbered(3))
    const ended = await run.done
    expect(ended.stdout).toMatch(summary('3 rows'))
    expect(at.lines('b.jsonl')).toHaveLength(3)
  })

  it('with --wait 0 is a plain drain', async () => {
    const at = scratch()
    at.write('a.jsonl', '')
    const run = await mqb(['copy', 'file:a.jsonl', 'null:', '--wait', '0'], { cwd: at.folder })
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(summary('0 rows')) })
  })

  it('stops at Ctrl-C with a summary and 0', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(10))
    const run = await startMqb(['copy', 'file:a.jsonl', 'file:b.jsonl'], { cwd: at.folder })
    await run.until(() => at.lines('b.jsonl').length === 10, 'all rows had arrived')
    run.kill('SIGINT')
    expect(await run.done).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^stopped after copying 10 rows in /),
    })
  })

  it('stops with 0 also when Ctrl-C comes while it is still loading', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(10))
    for (const delayMs of [100, 200, 300, 400]) {
      const run = await startMqb(['copy', 'file:a.jsonl', 'null:'], { cwd: at.folder })
      await new Promise(resolve => setTimeout(resolve, delayMs))
      run.kill('SIGINT')
      const { code, signal, stdout } = await run.done
      // Before Node runs the first line nobody can catch a signal.
      if (signal === 'SIGINT') continue
      expect(code).toBe(0)
      expect(stdout).toMatch(/^stopped after copying (0|10) rows in /)
    }
  })

  it('survives that nobody reads its summary', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(10))
    const run = await startMqb(['copy', 'file:a.jsonl', 'file:b.jsonl', '--drain'], { cwd: at.folder })
    run.process.stdout?.destroy()
    expect(await run.done).toMatchObject({ code: 0, stderr: '' })
    expect(at.lines('b.jsonl')).toHaveLength(10)
  })

  it('logs to stderr with -v, without passwords, or to stdout when asked', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(2))
    const args = [
      '--plugin',
      plugin,
      'copy',
      'file:a.jsonl',
      'trouble://user:s3cr%5Et@host/x',
      '--drain',
      '-v',
    ]
    const run = await mqb(args, { cwd: at.folder })
    expect(run.stderr).toMatch(/INFO/)
    expect(run.stderr).toContain('***')
    expect(run.stderr).not.toMatch(/s3cr/)
    expect(run.stdout).toMatch(summary('2 rows'))
    const moved = await mqb(args, { cwd: at.folder, env: { MQB_LOG_STDOUT: '1' } })
    expect(moved.stdout).toMatch(/INFO/)
    expect(moved.stderr).toBe('')
  })

  it('takes --from and --to, and variables in URIs', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(2))
    const run = await mqb(['copy', '--from', 'file:${NAME}.jsonl', '--to', 'file:$OUT', '--drain'], {
      cwd: at.folder,
      env: { NAME: 'a', OUT: 'b.jsonl' },
    })
    expect(run.stdout).toMatch(summary('2 rows'))
    expect(at.lines('b.jsonl')).toHaveLength(2)
  })
})

describe('the exit code of mqb copy', () => {
  it('is 2 for a wrong command line, before anything is opened', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(2))
    const cases: [string[], RegExp][] = [
      [['copy', 'file:a.jsonl'], /^mqb: the target is missing\n/],
      [['copy', 'file:a.jsonl', 'flie:b.jsonl', '--drain'], /flie/],
      [['copy', 'file:a.jsonl', 'file:b.jsonl?formta=raw', '--drain'], /formta[\s\S]*format/],
      [['copy', 'file:a.jsonl', 'file:${UNSET_NAME}', '--drain'], /UNSET_NAME/],
      [['copy', 'file:a.jsonl', 'file:b.jsonl|rtery', '--drain'], /rtery[\s\S]*retry/],
      [['copy', 'file:a.jsonl|retry', 'file:b.jsonl', '--drain'], /retry/],
      [['copy', 'file:a.jsonl', 'kafka://localhost:1/t', '--drain'], /@mqb\/kafka/],
      [
        ['copy', 'file:a.jsonl', 'file:b.jsonl', '--resume'],
        /^mqb: --resume is not available in this version/,
      ],
    ]
    for (const [args, text] of cases) {
      const run = await mqb(args, { cwd: at.folder })
      expect(run.stderr, args.join(' ')).toMatch(text)
      expect(run, args.join(' ')).toMatchObject({ code: 2, stdout: '' })
      expect(at.lines('b.jsonl')).toEqual([])
    }
  })

  it('is 1 when the source cannot be reached', async () => {
    const at = scratch()
    const run = await mqb(['copy', 'file:missing.jsonl', 'file:b.jsonl', '--drain'], { cwd: at.folder })
    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toMatch(/failed after copying 0 rows: .*missing\.jsonl/)
  })

  it('is 1 when rows are lost, with counts and the last cause', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(10))
    const run = await mqb(
      [
        'copy',
        'file:a.jsonl',
        'trouble://x?fail=permanent&only=7&path=b.jsonl',
        '--drain',
        '--plugin',
        plugin,
      ],
      { cwd: at.folder },
    )
    expect(run.stdout).toBe('')
    expect(run.stderr).toMatch(/read 10 rows, delivered 9: 1 lost; last cause: .*TROUBLE/)
    expect(run.code).toBe(1)
    expect(at.lines('b.jsonl')).toHaveLength(9)
  })

  it('is 0 when rows are dead-lettered', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(1_000))
    const dead = encodeURIComponent('file:dead.jsonl?format=json')
    const run = await mqb(
      [
        'copy',
        'file:a.jsonl',
        `trouble://x?fail=permanent|retry|dlq?endpoint=${dead}`,
        '--drain',
        '--plugin',
        plugin,
      ],
      { cwd: at.folder },
    )
    expect(run.stdout).toMatch(summary('0 rows, dead-lettered 1_000'))
    expect(run.code).toBe(0)
    expect(at.lines('dead.jsonl')).toHaveLength(1_000)
  })

  it('is 1 at the first error of a drain that has delivered nothing', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(10))
    for (const fail of ['open', 'open_permanent', 'connection']) {
      const run = await mqb(
        ['copy', 'file:a.jsonl', `trouble://x?fail=${fail}`, '--drain', '--plugin', plugin],
        {
          cwd: at.folder,
        },
      )
      expect(run.stderr, fail).toMatch(/failed after copying 0 rows: .*TROUBLE/)
      expect(run, fail).toMatchObject({ code: 1, stdout: '' })
    }
  })

  it('is 1 when the target has not answered in time, with the number of rows, which the next copy delivers', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(137))
    const source = 'file:a.jsonl?mode=group_subscribe&group_id=g'
    const target = 'trouble://x?fail=never&path=asked.txt'
    const run = await startMqb(['copy', source, target, '--plugin', plugin], { cwd: at.folder })
    await run.until(() => at.lines('asked.txt').length > 0, 'it sent')
    run.kill('SIGTERM')
    const { code, stdout, stderr } = await run.done
    expect(stdout).toMatch(/^stopped after copying 0 rows in /)
    expect(stderr).toMatch(/^mqb: 137 rows had no answer from the target/m)
    expect(code).toBe(1)
    const next = await mqb(['copy', source, 'file:b.jsonl', '--drain'], { cwd: at.folder })
    expect(next.stdout).toMatch(summary('137 rows'))
    expect(at.read('b.jsonl')).toBe(at.read('a.jsonl'))
  })

  it('is 130 after a second Ctrl-C, without waiting', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(10))
    const target = 'trouble://x?fail=never&path=asked.txt'
    const run = await startMqb(['copy', 'file:a.jsonl', target, '-v', '--plugin', plugin], { cwd: at.folder })
    await run.until(() => at.lines('asked.txt').length > 0, 'it sent')
    run.kill('SIGINT')
    await run.saying(/stop/i)
    run.kill('SIGINT')
    expect((await run.done).code).toBe(130)
  })
})
