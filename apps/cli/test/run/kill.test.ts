import { appendFileSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startMqb } from '../support/cli.ts'
import { scratch } from '../support/scratch.ts'

const kills = 50
const rowsPerRun = 400
const batchSize = 16

const row = (index: number): string => `{"n":${index},"text":"${'x'.repeat(60 + (index % 40))}"}`

describe('kill -9 at random moments', () => {
  it('leaves nothing out, repeats little, and tears nothing', { timeout: 120_000 }, async () => {
    const at = scratch()
    at.write('in.jsonl', '')
    at.write(
      'c.yml',
      `routes:
  tail:
    batch_size: ${batchSize}
    input: { file: { path: in.jsonl, format: raw, mode: group_subscribe, group_id: g } }
    output: { file: { path: out.jsonl, format: raw } }
`,
    )
    let written = 0
    const more = (): void => {
      let text = ''
      for (const end = written + rowsPerRun; written < end; written++) text += `${row(written)}\n`
      appendFileSync(at.path('in.jsonl'), text)
    }
    for (let kill = 0; kill < kills; kill++) {
      more()
      const run = await startMqb(['-c', 'c.yml', '--no-metrics'], { cwd: at.folder })
      // Some die while loading, some in the middle, some when all is done.
      await run.until(() => run.stderr() !== '', 'it began')
      await sleep(Math.random() * 80)
      more()
      await sleep(Math.random() * 30)
      run.kill('SIGKILL')
      await run.done
    }
    const last = await startMqb(['-c', 'c.yml', '--no-metrics'], { cwd: at.folder })
    await last.until(() => at.lines('out.jsonl').at(-1) === row(written - 1), 'the last row had arrived')
    last.kill('SIGTERM')
    expect((await last.done).code).toBe(0)

    const seen = new Map<string, number>()
    for (const line of at.lines('out.jsonl')) seen.set(line, (seen.get(line) ?? 0) + 1)
    const missing = Array.from({ length: written }, (_, index) => row(index)).filter(line => !seen.has(line))
    expect(missing).toEqual([])
    expect(seen.size).toBe(written)
    const repeated = [...seen.values()].reduce((sum, count) => sum + count - 1, 0)
    // In flight, and what was delivered since the position was saved last: at most what one run was given.
    expect(repeated).toBeLessThanOrEqual(kills * 2 * rowsPerRun)
    // Torn tails were moved aside, not left in the output.
    const torn = readdirSync(at.folder).filter(name => name.includes('.torn-'))
    expect(torn.length).toBeLessThanOrEqual(kills)
  })
})
