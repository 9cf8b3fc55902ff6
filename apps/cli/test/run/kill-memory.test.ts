import { appendFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startMqb } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const kills = 50
const rowsPerRun = 150
const batchSize = 16
const capacity = 4
// What the topic holds, one batch that its reader works on, and one that it has asked for meanwhile.
const lostPerKill = (capacity + 2) * batchSize

const row = (index: number): string => `{"n":${index},"text":"${'x'.repeat(60 + (index % 40))}"}`

describe('kill -9 of two routes that are joined by a topic in memory', () => {
  it('loses at most what the topic held', { timeout: 180_000 }, async () => {
    const at = scratch()
    at.write('in.jsonl', '')
    at.write(
      'c.yml',
      `routes:
  read:
    batch_size: ${batchSize}
    input: { file: { path: in.jsonl, format: raw, mode: group_subscribe, group_id: g } }
    output: { memory: { topic: rows, capacity: ${capacity} } }
  write:
    batch_size: ${batchSize}
    input: { memory: { topic: rows, enable_nack: true } }
    output:
      file: { path: out.jsonl, format: raw }
      middlewares: [{ delay: { delay_ms: 4 } }]
`,
    )
    let written = 0
    const more = (): void => {
      let text = ''
      for (const end = written + rowsPerRun; written < end; written++) text += `${row(written)}\n`
      appendFileSync(at.path('in.jsonl'), text)
    }
    const size = (): number => statSync(at.path('out.jsonl'), { throwIfNoEntry: false })?.size ?? 0
    for (let kill = 0; kill < kills; kill++) {
      more()
      const run = await startMqb(['-c', 'c.yml', '--no-metrics'], { cwd: at.folder })
      // Some die while loading or soon after, the others while the topic is full.
      await run.until(() => run.stderr() !== '', 'it began')
      more()
      const delivered = size()
      if (kill % 3 > 0) await run.until(() => size() > delivered, 'rows had arrived')
      await sleep(Math.random() * 50)
      run.kill('SIGKILL')
      await run.done
    }
    const last = await startMqb(['-c', 'c.yml', '--no-metrics'], { cwd: at.folder })
    await last.until(() => last.stderr() !== '', 'it began')
    const afterKills = written
    more()
    await last.until(() => at.lines('out.jsonl').at(-1) === row(written - 1), 'the last row had arrived')
    last.kill('SIGTERM')
    expect((await last.done).code).toBe(0)

    const rows = new Set(Array.from({ length: written }, (_, index) => row(index)))
    const seen = new Set(at.lines('out.jsonl'))
    // Nothing is torn, nothing is invented.
    expect([...seen].filter(line => !rows.has(line))).toEqual([])
    // The slow output kept the topic full, so that kills did cost something.
    const missing = Array.from({ length: written }, (_, index) => index).filter(
      index => !seen.has(row(index)),
    )
    expect(missing.length).toBeGreaterThan(0)
    expect(missing.length).toBeLessThanOrEqual(kills * lostPerKill)
    // What came after the last kill is all there.
    expect(missing.filter(index => index >= afterKills)).toEqual([])
  })

  it('loses nothing when it is stopped', { timeout: 60_000 }, async () => {
    const at = scratch()
    at.write('in.jsonl', '')
    at.write(
      'c.yml',
      `routes:
  read:
    batch_size: ${batchSize}
    exit_on_empty: true
    input: { file: { path: in.jsonl, format: raw } }
    output: { memory: { topic: rows, capacity: ${capacity} } }
  write:
    batch_size: ${batchSize}
    input: { memory: { topic: rows, enable_nack: true } }
    output: { file: { path: out.jsonl, format: raw } }
`,
    )
    const lines = Array.from({ length: 5000 }, (_, index) => row(index))
    at.write('in.jsonl', `${lines.join('\n')}\n`)
    const run = await startMqb(['-c', 'c.yml', '--no-metrics'], { cwd: at.folder })
    await run.until(() => at.lines('out.jsonl').length === lines.length, 'everything had arrived')
    run.kill('SIGTERM')
    expect((await run.done).code).toBe(0)
    expect(at.lines('out.jsonl')).toEqual(lines)
  })
})
