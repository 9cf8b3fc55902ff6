import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startMqb } from '../support/cli.ts'
import { type Scratch, scratch } from '../support/scratch.ts'

const kills = 50
const rowsPerRun = 400

const row = (index: number): string => `{"n":${index},"text":"${'x'.repeat(60 + (index % 40))}"}`

const config = `routes:
  tail:
    batch_size: 16
    input: { file: { path: in.jsonl, format: raw, mode: group_subscribe, group_id: g } }
    output: { file: { path: out.jsonl, format: raw } }
`

/** How many rows the position on disk is past. */
function savedRows(at: Scratch): number {
  const path = at.path('in.jsonl.g.offset')
  if (!existsSync(path)) return 0
  const { offset } = JSON.parse(readFileSync(path, 'utf8')) as { offset: number }
  return at.read('in.jsonl').slice(0, offset).split('\n').length - 1
}

/** How many rows, counted from the first, have arrived whole: the last whole line says it, because order is kept. */
function arrivedRows(at: Scratch): number {
  if (!existsSync(at.path('out.jsonl'))) return 0
  const last = at.read('out.jsonl').split('\n').at(-2)
  return last === undefined ? 0 : (JSON.parse(last) as { n: number }).n + 1
}

describe('kill -9 at random moments', () => {
  it('leaves nothing out, repeats only what was not saved, and tears nothing', {
    timeout: 180_000,
  }, async () => {
    const at = scratch()
    at.write('in.jsonl', '')
    at.write('c.yml', config)
    let written = 0
    const more = (): void => {
      let text = ''
      for (const end = written + rowsPerRun; written < end; written++) text += `${row(written)}\n`
      appendFileSync(at.path('in.jsonl'), text)
    }
    const start = () => startMqb(['-c', 'c.yml', '--no-metrics'], { cwd: at.folder })

    let mayRepeat = 0
    for (let kill = 0; kill < kills; kill++) {
      more()
      const run = await start()
      // Some die before the first row, some in the middle, some when all is done.
      await run.saying(/MQB_ROUTE_STARTING/)
      await sleep(Math.random() * 80)
      more()
      await sleep(Math.random() * 30)
      run.kill('SIGKILL')
      await run.done
      const [saved, arrived] = [savedRows(at), arrivedRows(at)]
      expect(saved, `position ahead of delivery after kill ${kill}`).toBeLessThanOrEqual(arrived)
      mayRepeat += arrived - saved
    }
    const last = await start()
    await last.until(() => arrivedRows(at) === written, 'the last row had arrived')
    last.kill('SIGTERM')
    expect((await last.done).code).toBe(0)
    expect(savedRows(at)).toBe(written)

    const seen = new Map<string, number>()
    for (const line of at.lines('out.jsonl')) seen.set(line, (seen.get(line) ?? 0) + 1)
    const missing = Array.from({ length: written }, (_, index) => row(index)).filter(line => !seen.has(line))
    expect(missing).toEqual([])
    // As many different lines as rows: none is torn.
    expect(seen.size).toBe(written)
    const repeated = [...seen.values()].reduce((sum, count) => sum + count - 1, 0)
    expect(repeated).toBeLessThanOrEqual(mayRepeat)
  })
})
