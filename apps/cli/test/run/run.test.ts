import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mqb, startMqb } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const plugin = join(import.meta.dirname, '..', 'fixtures', 'trouble.mjs')
const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `{"n":${index}}\n`).join('')

const route = (input: string, output: string): string =>
  `{ exit_on_empty: true, input: { file: { path: ${input}, format: raw } }, output: ${output} }`

describe('mqb with a configuration', () => {
  it('runs the enabled routes, shows a banner, and ends with 0 at SIGTERM', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(3))
    at.write(
      'config.yml',
      `routes:\n  one: ${route('a.jsonl', '{ file: { path: b.jsonl, format: raw } }')}\n  off: { enabled: false, input: { file: { path: none } } }\n`,
    )
    const run = await startMqb(['--no-metrics'], { cwd: at.folder })
    await run.until(() => at.lines('b.jsonl').length === 3, 'the rows had arrived')
    run.kill('SIGTERM')
    const { code, stdout, stderr } = await run.done
    expect(code).toBe(0)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^mqb \d+\.\d+\.\d+/)
    expect(stderr).toContain('config.yml')
    expect(stderr).toMatch(/one.*at-least-once/)
    expect(stderr).not.toMatch(/WARN|ERROR/)
  })

  it('keeps running when some routes cannot start, and counts them', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(1))
    at.write(
      'c.yml',
      `plugins: [${plugin}]
routes:
  good: { input: { file: { path: a.jsonl, format: raw } }, output: { file: { path: b.jsonl, format: raw } } }
  fine: { input: { file: { path: a.jsonl, format: raw } }, output: { file: { path: c.jsonl, format: raw } } }
  broken: { startup_timeout_ms: 300, input: { file: { path: a.jsonl, format: raw } }, output: { trouble: { fail: open_permanent } } }
`,
    )
    const run = await startMqb(['-c', 'c.yml', '--no-metrics'], { cwd: at.folder })
    await run.saying(/WARN.*2 of 3 routes/)
    await run.until(
      () => at.lines('b.jsonl').length === 1 && at.lines('c.jsonl').length === 1,
      'the rows had arrived',
    )
    run.kill('SIGINT')
    // A route has failed: whoever reads the exit code should know.
    expect((await run.done).code).toBe(1)
  })

  it('ends with 1 when none of the enabled routes can start', async () => {
    const at = scratch()
    at.write('a.jsonl', '')
    at.write(
      'c.yml',
      `plugins: ['${plugin}']
routes:
  a: { startup_timeout_ms: 300, input: { file: { path: a.jsonl } }, output: { trouble: { fail: open } } }
  b: { startup_timeout_ms: 300, input: { file: { path: a.jsonl } }, output: { trouble: { fail: open_permanent } } }
`,
    )
    const run = await mqb(['-c', 'c.yml', '--no-metrics'], { cwd: at.folder })
    expect(run.stderr).toMatch(/none of 2 routes/)
    expect(run.code).toBe(1)
  })

  it('idles when nothing is configured', async () => {
    const at = scratch()
    const run = await startMqb(['--no-metrics'], { cwd: at.folder })
    await run.saying(/WARN.*nothing/)
    run.kill('SIGTERM')
    expect((await run.done).code).toBe(0)
  })

  it('reports everything that is wrong at once, with its place, and connects nothing', async () => {
    const at = scratch()
    let connections = 0
    const server = createServer(() => {}).on('connection', () => connections++)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    at.write(
      'c.yml',
      `log_levl: info
routes:
  one:
    batch_size: 0
    input: { file: { path: a, formt: raw } }
    output: { http: { url: 'http://127.0.0.1:${port}' } }
  two:
    input: { file: { path: '\${UNSET_VARIABLE}' } }
    output: { file: { path: b, format: rwa }, middlewares: [ { rtery: {} } ] }
`,
    )
    const run = await mqb(['-c', 'c.yml'], { cwd: at.folder })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    for (const [place, text] of [
      ['c.yml:1:1', 'log_level'],
      ['c.yml:4:', 'batch_size'],
      ['c.yml:5:', 'format'],
      ['c.yml:6:', '@mqb/http'],
      ['c.yml:8:', 'UNSET_VARIABLE'],
      ['c.yml:9:', 'raw'],
      ['c.yml:9:', 'retry'],
    ] as const) {
      const paragraph = run.stderr.split('\n\n').find(part => part.includes(place) && part.includes(text))
      expect(paragraph, `${place} ${text}\n${run.stderr}`).toBeDefined()
    }
    expect(connections).toBe(0)
    server.close()
  })

  it('loses nothing at SIGTERM with half-full batches and a slow sink', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(1_000))
    at.write(
      'c.yml',
      `plugins: ['${plugin}']
routes:
  slow:
    batch_size: 10
    concurrency: 4
    input: { file: { path: a.jsonl, format: raw, mode: group_subscribe, group_id: g } }
    output: { trouble: { delay_ms: 40, path: b.jsonl } }
`,
    )
    const first = await startMqb(['-c', 'c.yml', '--no-metrics'], { cwd: at.folder })
    await first.until(() => at.lines('b.jsonl').length >= 50, 'some rows had arrived')
    first.kill('SIGTERM')
    expect((await first.done).code).toBe(0)
    const delivered = at.lines('b.jsonl').length
    expect(delivered).toBeLessThan(1_000)

    const second = await startMqb(['-c', 'c.yml', '--no-metrics'], { cwd: at.folder })
    await second.until(() => at.lines('b.jsonl').length >= 1_000, 'the rest had arrived')
    second.kill('SIGTERM')
    await second.done
    // An orderly stop repeats nothing either.
    expect(at.lines('b.jsonl').toSorted()).toEqual(at.lines('a.jsonl').toSorted())
  })

  it('ends with 130 at a second signal', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(10))
    at.write(
      'c.yml',
      `plugins: ['${plugin}']\nroutes:\n  stuck: { input: { file: { path: a.jsonl } }, output: { trouble: { fail: never, path: asked.txt } } }\n`,
    )
    const run = await startMqb(['-c', 'c.yml', '--no-metrics'], { cwd: at.folder })
    await run.until(() => at.lines('asked.txt').length > 0, 'it sent')
    run.kill('SIGINT')
    await run.saying(/stopping/)
    run.kill('SIGINT')
    expect((await run.done).code).toBe(130)
  })

  it('stops in order when the signal comes while it is still loading', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(1))
    at.write('config.yml', `routes:\n  r: ${route('a.jsonl', '{ "null": null }')}\n`)
    for (const delayMs of [90, 120, 150, 200]) {
      const run = await startMqb(['--no-metrics'], { cwd: at.folder })
      await new Promise(resolve => setTimeout(resolve, delayMs))
      run.kill('SIGTERM')
      const { code, signal } = await run.done
      // Before Node runs the first line nobody can catch a signal.
      expect(signal === 'SIGTERM' || code === 0).toBe(true)
    }
  })

  it('says that it cannot reload, and goes on', async () => {
    const at = scratch()
    const run = await startMqb(['--no-metrics'], { cwd: at.folder })
    await run.saying(/WARN.*nothing/)
    run.kill('SIGHUP')
    await run.saying(/WARN.*SIGHUP/)
    run.kill('SIGTERM')
    expect((await run.done).code).toBe(0)
  })
})

describe('the metrics of mqb', () => {
  it('are served where asked, and count what was moved', async () => {
    const at = scratch()
    at.write('a.jsonl', numbered(25))
    at.write(
      'config.yml',
      `routes:\n  orders: ${route('a.jsonl', '{ file: { path: b.jsonl, format: raw }, middlewares: [ { metrics: {} } ] }')}\n  off: { enabled: false, input: { memory: { topic: t } } }\n`,
    )
    const run = await startMqb(['--metrics-addr', '127.0.0.1:0'], { cwd: at.folder })
    await run.saying(/http:\/\/127\.0\.0\.1:\d+\/metrics/)
    await run.until(() => at.lines('b.jsonl').length === 25, 'the rows had arrived')
    const url = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(run.stderr())?.[0] ?? ''
    const answer = await fetch(url)
    const text = await answer.text()
    expect(answer.headers.get('content-type')).toContain('version=0.0.4')
    expect(text).toMatch(/^queue_messages_processed_total\{[^}]*route="orders"[^}]*\} 25$/m)
    expect(text).toMatch(/^mqb_route_healthy\{route="orders"\} [01]$/m)
    expect(text).toMatch(/^mqb_messages_dropped_total\{route="orders"\} 0$/m)
    expect(text).toMatch(/^mqb_messages_failed_total\{route="orders"\} 0$/m)
    expect(text).toMatch(/^mqb_route_reconnects_total\{route="orders"\} 0$/m)
    expect(text).not.toContain('route="off"')
    expect(text).toMatch(/^mqb_info\{version="[^"]+"\} 1$/m)
    expect(text).toMatch(/^mq_bridge_app_info\{version="[^"]+"\} 1$/m)
    run.kill('SIGTERM')
    expect((await run.done).code).toBe(0)
  })

  it('on a port that is taken are a warning', async () => {
    const at = scratch()
    const server = createServer(() => {})
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const run = await startMqb(['--metrics-addr', `127.0.0.1:${port}`], { cwd: at.folder })
    await run.saying(/WARN.*cannot listen on 127\.0\.0\.1/)
    run.kill('SIGTERM')
    expect((await run.done).code).toBe(0)
    server.close()
  })

  it('at an address that is none are a usage error', async () => {
    const run = await mqb(['--metrics-addr', 'nowhere'], { cwd: scratch().folder })
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('--metrics-addr') })
  })
})

describe('the log of mqb', () => {
  it('is JSON lines when the configuration says so, and payloads stay out of it', async () => {
    const at = scratch()
    at.write('a.jsonl', '{"secret":"payload-text"}\n')
    at.write(
      'config.yml',
      `logger: json\nlog_level: debug\nroutes:\n  r: ${route('a.jsonl', '{ file: { path: b.jsonl, format: raw } }')}\n`,
    )
    const run = await startMqb(['--no-metrics'], { cwd: at.folder })
    await run.until(() => at.lines('b.jsonl').length === 1, 'the row had arrived')
    run.kill('SIGTERM')
    const { stderr } = await run.done
    expect(stderr).not.toContain('payload-text')
    const lines = stderr.split('\n').filter(line => line !== '')
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ time: expect.any(String), level: expect.any(String) })
    expect(lines.some(line => line.includes('"MQB_ROUTE_READY"'))).toBe(true)
  })

  it('follows MQB_LOG before log_level, and says which directive it cannot read', async () => {
    const at = scratch()
    at.write('config.yml', 'log_level: trace\n')
    const run = await startMqb(['--no-metrics'], { cwd: at.folder, env: { MQB_LOG: 'off' } })
    const wrong = await mqb(['--no-metrics'], { cwd: at.folder, env: { MQB_LOG: 'loud' } })
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/MQB_LOG[\s\S]*"loud"/) })
    run.kill('SIGTERM')
    expect((await run.done).stderr).not.toMatch(/INFO|WARN/)
  })
})
