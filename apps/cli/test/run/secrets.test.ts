import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mqb, startMqb } from '../support/cli.ts'
import { type Scratch, scratch } from '../support/scratch.ts'

const plugin = join(import.meta.dirname, '..', 'fixtures', 'trouble.mjs')
const password = 's3cr^t/p@ss#1'
const encodings = [
  password,
  encodeURIComponent(password),
  Buffer.from(password).toString('base64').replace(/=+$/, ''),
  // As it stands in `Basic dXNlcjp…`: the user has four letters, the colon shifts it.
  Buffer.from(`user:${password}`).toString('base64').slice(8, -4),
  Buffer.from(password).toString('hex'),
]

function expectHidden(text: string, where: string): void {
  for (const form of encodings) expect(text.includes(form), `${form} in ${where}:\n${text}`).toBe(false)
}

/** What a run left behind, but for what it was given. */
function filesOf(at: Scratch, given: readonly string[]): string {
  return readdirSync(at.folder)
    .filter(name => !given.includes(name) && existsSync(at.path(name)))
    .map(name => readFileSync(at.path(name), 'utf8'))
    .join('\n')
}

const failures = [
  'no',
  'permanent',
  'retryable',
  'connection',
  'throw',
  'open',
  'open_permanent',
  'never',
] as const

describe('a password is found nowhere', () => {
  it('after any copy to an endpoint that fails in any way', { timeout: 120_000 }, async () => {
    await Promise.all(
      ['encoded', 'field'].map(async way => {
        for (const fail of failures) {
          const at = scratch()
          at.write('a.jsonl', '{"n":1}\n')
          const user = way === 'encoded' ? `user:${encodeURIComponent(password)}@` : ''
          const field = way === 'field' ? '&password=$' + '{PW}' : ''
          const dead = encodeURIComponent('file:dead.jsonl?format=json')
          const target = `trouble://${user}host/x?fail=${fail}${field}|retry?max_attempts=1|dlq?endpoint=${dead}`
          const run = await startMqb(['copy', 'file:a.jsonl', target, '--drain', '-v', '--plugin', plugin], {
            cwd: at.folder,
            env: { PW: password, MQB_LOG: 'trace' },
          })
          if (fail === 'never') {
            await run.saying(/INFO/)
            run.kill('SIGINT')
            run.kill('SIGTERM')
          }
          // What keeps failing keeps being tried: it has said what it says by then.
          const patience = setTimeout(() => run.kill('SIGINT'), 4_000)
          const { stdout, stderr } = await run.done
          clearTimeout(patience)
          expectHidden(stdout + stderr, `copy, ${way}, ${fail}`)
          expectHidden(filesOf(at, ['a.jsonl']), `files of copy, ${way}, ${fail}`)
        }
      }),
    )
  })

  it('in the log, the metrics and the dead letters of a bridge', async () => {
    const at = scratch()
    at.write('a.jsonl', '{"n":1}\n')
    const routes = failures
      .filter(fail => fail !== 'never')
      .map(
        fail => `
  r-${fail}:
    exit_on_empty: true
    startup_timeout_ms: 500
    input: { file: { path: a.jsonl, format: raw } }
    output:
      trouble: { fail: ${fail}, password: '\${PW}', url: 'trouble://user:\${PW}@host' }
      middlewares: [ { dlq: { endpoint: { file: { path: dead-${fail}.jsonl, format: json } } } } ]`,
      )
      .join('')
    at.write('c.yml', `log_level: trace\nplugins: ['${plugin}']\nroutes:${routes}\n`)
    for (const logger of ['plain', 'json']) {
      const run = await startMqb(
        ['-c', 'c.yml', '--metrics-addr', '127.0.0.1:0', '--config-str', `logger: ${logger}`],
        {
          cwd: at.folder,
          env: { PW: password },
        },
      )
      await run.saying(/\d of \d routes/)
      const url = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(run.stderr())?.[0] ?? ''
      expectHidden(await (await fetch(url)).text(), 'metrics')
      run.kill('SIGTERM')
      const { stdout, stderr } = await run.done
      expect(stderr).toContain('***')
      expectHidden(stdout + stderr, `log ${logger}`)
      expectHidden(filesOf(at, ['c.yml']), 'dead letters')
    }
  })

  it('when the connectors that come with the command cannot connect', async () => {
    const at = scratch()
    at.write('a.jsonl', '{"n":1}\n')
    const user = `user:${encodeURIComponent(password)}`
    for (const uri of [
      `unix://${user}@/nowhere/there.sock`,
      `ipc://${user}@host/topic`,
      `memory://${user}@topic?request_reply=true&request_timeout_ms=50`,
      `file://${user}@host/a.jsonl`,
      `file:missing/${encodeURIComponent(password)}/?password=${encodeURIComponent(password)}`,
    ])
      for (const ends of [
        [uri, 'null:'],
        ['file:a.jsonl', uri],
      ]) {
        const run = await startMqb(['copy', ...ends, '--drain', '-v'], {
          cwd: at.folder,
          env: { MQB_LOG: 'trace' },
        })
        const patience = setTimeout(() => run.kill('SIGINT'), 3_000)
        const { stdout, stderr } = await run.done
        clearTimeout(patience)
        expectHidden(stdout + stderr, ends.join(' '))
      }
  })

  it('when the command line or the configuration is wrong', async () => {
    const at = scratch()
    const url = `postgres://user:${password}@host:99999999/db?x=1`
    at.write(
      'c.yml',
      `plugins: ['${plugin}']
routes:
  a: { input: { trouble: { url: '${url}', pasword: '${password}', password: '${password}' } } }
  b: { input: { sqlx: { url: '${url}' } } }
  c: { input: { kafka: { url: '${url}', password: '${password}' } }, output: { trouble: { password: ['${password}'], fail: '${url}' } } }
`,
    )
    const cases = [
      ['copy', url],
      ['copy', url, 'null:'],
      ['copy', 'null:', url],
      ['copy', `trouble:${url}`, 'null:', '--plugin', plugin],
      [
        'copy',
        `trouble://user:${password}@host?nonsense=1&password=${password}`,
        'null:',
        '--plugin',
        plugin,
      ],
      ['copy', 'null:', `http://host/?password=${encodeURIComponent(password)}|retry?max_attempts=${url}`],
      [url, 'null:'],
      ['copy', 'null:', 'null:', `--limit=${url}`],
      ['copy', 'null:', 'null:', url],
      ['-c', 'c.yml'],
      ['-c', 'c.yml', 'validate'],
      ['--config-str', `routes: { a: { input: { trouble: { url: '${url}' `],
      ['--metrics-addr', url],
      ['--plugin', url],
      ['--schema', '-', '--plugin', plugin],
    ]
    for (const args of cases) {
      const { stdout, stderr, code } = await mqb(args, {
        cwd: at.folder,
        env: { MQB__ROUTES__A__INPUT__TROUBLE__PASSWORD: password },
      })
      if (args[0] !== '--schema') expect(code, args.join(' ')).toBe(2)
      expectHidden(stdout + stderr, args.join(' '))
    }
  })

  it('are hidden where a variable of a URI brought them, also in what is wrong with it', async () => {
    const at = scratch()
    at.write('pw.txt', 'from-a-file-9876\n')
    const env = { DB_PASSWORD: 'by-its-name-1234', OTHER_FILE: at.path('pw.txt') }
    for (const source of ['file:/none/$DB_PASSWORD/x', 'file:/none/$OTHER/x', 'file:x?$DB_PASSWORD=1']) {
      const { stdout, stderr } = await mqb(['copy', source, 'null:', '--drain', '-v'], {
        cwd: at.folder,
        env,
      })
      expect(stdout + stderr).not.toMatch(/1234|9876/)
      expect(stdout + stderr).toContain('***')
    }
  })
})
