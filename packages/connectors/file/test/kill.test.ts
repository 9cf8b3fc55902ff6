import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { messagesOf, never, openInput, openOutput, readAll, scratch, texts } from './support/harness.ts'

let folder: ReturnType<typeof scratch>
beforeEach(() => {
  folder = scratch()
})
afterEach(() => folder.remove())

const writer = fileURLToPath(new URL('./support/writer.mjs', import.meta.url))

async function killAfter(child: ChildProcess, path: string, bytes: number): Promise<void> {
  while ((existsSync(path) ? statSync(path).size : 0) < bytes) await new Promise(setImmediate)
  const ended = new Promise(resolve => child.once('close', resolve))
  child.kill('SIGKILL')
  await ended
}

describe('kill -9', () => {
  // A process that is killed in the middle of a write leaves what the system had taken. The writer here hands its
  // records over in pieces that end anywhere, which is what a file looks like after short writes and power cuts.
  it('at 50 moments of a writer: after the repair every record is whole, and none that was there before is missing', async () => {
    const path = folder.path('out.jsonl')
    let records = 0
    for (let run = 0; run < 50; run++) {
      const before = existsSync(path) ? statSync(path).size : 0
      const child = spawn(process.execPath, [writer, path, String(run)], { stdio: 'ignore' })
      await killAfter(child, path, before + 1 + ((run * 7919) % 3000))
      const { end } = await openOutput({ path, format: 'raw' })
      await end.send(messagesOf([`{"run":${run},"end":true}`]), never)
      await end.close()
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
      for (const line of lines.slice(records)) JSON.parse(line)
      records = lines.length
    }
    const { end } = await openInput({ path, format: 'raw' })
    const all = texts(await readAll(end)).map(line => JSON.parse(line))
    await end.close()
    expect(all.filter(record => record.end)).toHaveLength(50)
    for (let run = 0; run < 50; run++) {
      const indexes = all.filter(record => record.run === run && !record.end).map(record => record.index)
      expect(indexes).toEqual(indexes.map((_, index) => index))
    }
    const torn = readdirSync(folder.path('.')).filter(name => name.includes('.torn-'))
    expect(torn.length).toBeGreaterThan(0)
  }, 60_000)
})
