// `npm run demo`, `npm test` and `pnpm check`: on a fresh clone with nothing but Node and npm, the first two bring the
// rest themselves. Plain JavaScript without dependencies, because it runs before anything is installed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkNode } from './node-version.mjs'
import { environmentWithPnpm, root } from './pnpm.mjs'
import { Report } from './report.mjs'
import { run } from './run-command.mjs'

const [command = ''] = process.argv.slice(2)
const commands = { demo, test, check }
if (!Object.hasOwn(commands, command)) {
  process.stderr.write(`usage: node tooling/bootstrap/run.mjs ${Object.keys(commands).join(' | ')}\n`)
  process.exit(2)
}

const nodeProblem = checkNode(process.versions.node)
if (nodeProblem !== undefined) {
  process.stderr.write(`${nodeProblem}\n`)
  process.exit(2)
}

const scratch = mkdtempSync(join(tmpdir(), 'mqb-run-'))
try {
  process.exitCode = await commands[command]()
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** Installs and builds quietly, then hands the terminal to the demo. */
async function demo() {
  const env = environmentWithPnpm()
  const report = new Report()
  if (!(await installAndBuild(report, env))) {
    report.printFailures()
    return 1
  }
  return (await run([process.execPath, 'apps/cli/demo/run.mjs'], { cwd: root, env, show: 'all' })).code
}

async function test() {
  const env = environmentWithPnpm()
  const report = new Report()
  if (await installAndBuild(report, env)) await verify(report, env)
  return report.finish()
}

/** As `test`, for a checkout that is installed. Changes nothing but the build output. */
async function check() {
  const env = environmentWithPnpm()
  const report = new Report()
  await build(report, env)
  await verify(report, env)
  return report.finish()
}

async function installAndBuild(report, env) {
  const installed = await report.phase('install', () =>
    run(['pnpm', 'install', '--frozen-lockfile', '--prefer-offline'], { cwd: root, env, show: 'on-failure' }),
  )
  return installed && build(report, env)
}

function build(report, env) {
  return report.phase('build', () =>
    run(['pnpm', 'exec', 'turbo', 'run', 'build', '--output-logs=errors-only'], {
      cwd: root,
      env,
      show: 'on-failure',
    }),
  )
}

/** Every phase runs, whatever became of those before it: one run shows all that is wrong. */
async function verify(report, env) {
  const quiet = { cwd: root, env, show: 'on-failure' }
  await report.phase('format and lint', () => run(['pnpm', '-s', 'lint'], quiet))
  await report.phase('types', () => run(['pnpm', '-s', 'typecheck'], quiet))
  await report.phase('reference pages', () => run(['pnpm', '-s', 'docs:check'], quiet))
  await report.phase('gates', () => run(['pnpm', '-s', 'gates'], quiet))
  await report.tests('tests', join(scratch, 'tests.json'), summaryFile =>
    run(['pnpm', 'exec', 'vitest', 'run'], {
      cwd: root,
      env: { ...env, MQB_TEST_SUMMARY: summaryFile },
      show: 'all',
    }),
  )
}
