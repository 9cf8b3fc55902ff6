import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installTarball } from './support/pack.ts'

const here = dirname(fileURLToPath(import.meta.url))
let project: string

// A project of somebody else: it has the packed packages, a connector in JavaScript, and the runner of Node.
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'mqb-testkit-'))
  for (const name of ['core', 'json', 'testkit']) await installTarball(name, project)
  await writeFile(join(project, 'package.json'), '{"type":"module"}')
}, 120_000)

afterAll(async () => {
  await rm(project, { recursive: true, force: true })
})

async function nodeTest(connector: string, suite: string): Promise<{ code: number | null; output: string }> {
  await writeFile(join(project, 'index.js'), connector)
  await writeFile(join(project, 'conformance.test.mjs'), suite)
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--test', '--test-reporter=tap', 'conformance.test.mjs'], {
      cwd: project,
      // Without it Node takes itself for a child of another test run and reports in another form.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: undefined },
    })
    let output = ''
    child.stdout.on('data', bytes => {
      output += bytes
    })
    child.stderr.on('data', bytes => {
      output += bytes
    })
    child.once('error', reject)
    child.once('close', code => resolve({ code, output }))
  })
}

/** The first example of the README, as it stands there. */
async function readmeExample(): Promise<string> {
  const readme = await readFile(join(here, '..', 'README.md'), 'utf8')
  return /```js\n([\s\S]*?)```/.exec(readme)![1]!
}

describe('the packed test kit in a project of somebody else', () => {
  it('runs the example of the README with the runner of Node', async () => {
    const shelf = await readFile(join(here, 'support', 'shelf.js.txt'), 'utf8')
    const { code, output } = await nodeTest(shelf, await readmeExample())
    expect(output).not.toMatch(/^\s*not ok/m)
    expect(code).toBe(0)
    expect(output).toMatch(/ok \d+ - many messages in many batches arrive once each/)
    // What the capabilities rule out is told, and not skipped.
    expect(output).not.toMatch(/# SKIP/)
    expect(output).toContain(
      '# does not apply: a payload over the bound fails alone and for good (capability `maxPayloadBytes` is null)',
    )
  }, 120_000)

  it('fails the test of the rule that a connector breaks, and shows the rule', async () => {
    const shelf = await readFile(join(here, 'support', 'shelf.js.txt'), 'utf8')
    const forgetful = shelf.replace('messages.unshift(...lent)', '')
    expect(forgetful).not.toBe(shelf)
    const { code, output } = await nodeTest(
      forgetful,
      // What does not come is waited for; a second is enough here.
      (await readmeExample()).replace('limits: {', 'limits: { patienceMs: 1_000,'),
    )
    expect(code).not.toBe(0)
    expect(output).toMatch(/not ok \d+ - what was not committed at close comes back/)
    expect(output).toContain('close gives uncommitted batches back to the source')
  }, 120_000)
})
