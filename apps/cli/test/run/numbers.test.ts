import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startMqb } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const plugin = join(import.meta.dirname, '..', 'fixtures', 'fates.mjs')

interface LogLine {
  readonly message: string
  readonly fields: {
    readonly code?: string
    readonly count?: number
    readonly counts?: Record<string, number>
  }
}

it('status, metrics and log show what really lies in source, sink and dead letters, also after a stop that is cut short', async () => {
  const at = scratch()
  at.write(
    'c.yml',
    `logger: json
plugins: ['${plugin}']
routes:
  r:
    concurrency: 3
    batch_size: 20
    reconnect_interval_ms: 20
    input:
      numbers: { count: 500, settled: settled.txt }
      middlewares: [ filter: n % 10 != 6 ]
    output:
      fates: { path: out.jsonl, stuck_from: 400 }
      middlewares:
        - retry: { max_attempts: 4, initial_interval_ms: 1, max_interval_ms: 2 }
        - dlq: { endpoint: { file: { path: dead.jsonl, format: json } } }
        - refuse_fives: {}
        - metrics: {}
`,
  )
  const run = await startMqb(['-c', 'c.yml', '--metrics-addr', '127.0.0.1:0'], { cwd: at.folder })
  // All three places are taken by sends that never answer, and everything before them is settled. What is dropped or
  // filtered next to the first number of such a send belongs to its batch.
  await run.until(() => {
    const stuck = at.lines('out.jsonl.stuck').map(Number)
    const first = Math.min(...stuck) - 2
    return stuck.length >= 3 && at.lines('settled.txt').filter(n => Number(n) < first).length === first
  }, 'three sends hang')
  const url = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(run.stderr())?.[0] ?? ''
  const page = await (await fetch(url)).text()
  const metric = (name: string): number =>
    Number(new RegExp(`^${name}\\{[^}]*route="r"[^}]*\\} (\\d+)$`, 'm').exec(page)?.[1])
  run.kill('SIGTERM')
  await run.saying(/stopping/)
  run.kill('SIGTERM')
  const { code, stderr } = await run.done
  expect(code).toBe(130)

  const lines = stderr
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as LogLine)
  const ended = lines.find(({ fields }) => fields.code === 'MQB_ROUTE_ENDED')?.fields.counts ?? {}
  const abandoned = lines.find(({ fields }) => fields.code === 'MQB_ABANDONED')?.fields.count
  const settled = at.lines('settled.txt').map(Number)
  const endingIn = (digit: number): number => settled.filter(n => n % 10 === digit).length
  const delivered = at.json('out.jsonl') as { n: number }[]
  const dead = at.json('dead.jsonl') as { payload: { n: number } }[]

  // Nothing is there twice, and nothing that is done is missing.
  expect(new Set(settled).size).toBe(settled.length)
  expect(new Set(delivered.map(({ n }) => n)).size).toBe(delivered.length)
  expect(dead.map(({ payload }) => payload.n % 10).sort()).toEqual(
    [...Array(endingIn(1)).fill(1), ...Array(endingIn(3)).fill(3)].sort(),
  )
  expect(ended).toMatchObject({
    delivered: delivered.length,
    deadLettered: dead.length,
    dropped: endingIn(5),
    filtered: endingIn(6),
    handled: 0,
    duplicates: 0,
    joined: 0,
    inFlight: 0,
  })
  expect(settled.length).toBe(delivered.length + dead.length + endingIn(5) + endingIn(6))
  expect(ended.in).toBe(settled.length + (ended.returned ?? 0))
  expect(abandoned).toBeGreaterThan(0)
  // Eight connections were lost, each with one message at least that came again; the rest was given up at the stop.
  expect(ended.returned).toBeGreaterThanOrEqual(8 + (abandoned ?? 0))
  expect(metric('mqb_messages_dropped_total')).toBe(endingIn(5))
  expect(metric('queue_messages_processed_total')).toBe(delivered.length + dead.length)
  expect(metric('mqb_route_reconnects_total')).toBeGreaterThan(0)
  expect(stderr).not.toContain('MQB_UNBALANCED')
})
