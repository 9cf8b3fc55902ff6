import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cliFolder, ensureBuilt, repository } from './support/build.ts'
import { cleanEnvironment, follow } from './support/cli.ts'
import { scratch } from './support/scratch.ts'

it('the demo delivers, dead-letters and shows both', { timeout: 60_000 }, async () => {
  await ensureBuilt()
  const run = follow(
    spawn(process.execPath, [join(cliFolder, 'demo', 'run.mjs')], {
      cwd: repository,
      env: cleanEnvironment({ TMPDIR: scratch().folder }),
    }),
  )
  const { code, stdout, stderr } = await run.done
  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(stdout).toMatch(/delivered {6}299_429 orders/)
  expect(stdout).toMatch(/dead-lettered {2}571 orders/)
  expect(stdout).toContain('"mqb.dlq.reason": "transform failed at $.amount [coercion]: cannot coerce string')
  expect(stdout).toContain('"order_id":1,')
})
