// `pnpm bench` lists the benches, `pnpm bench NAME` runs one. With `--json` stdout gets one line per case and nothing
// else; `--scale 0.1` runs with a tenth of the messages.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { workspaceRoot } from '../workspace/packages.ts'
import { compare } from './compare.ts'
import type { Bench, BenchCase, RunContext } from './define.ts'
import { header, resultLines } from './print.ts'

const benchFolder = join(workspaceRoot, 'tooling', 'bench', 'benches')

process.exitCode = await main()

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false }, scale: { type: 'string', default: '1' } },
  })
  const scale = Number(values.scale)
  if (!(scale > 0)) return usage(`--scale takes a number above 0, not ${values.scale}`)
  const names = benchNames()
  const [name] = positionals
  if (name === undefined) return list(names)
  if (!names.includes(name)) return usage(`there is no bench ${name}; there are: ${names.join(', ')}`)
  if (!build()) return 1
  await runBench(await load(name), scale, values.json)
  return 0
}

async function runBench(bench: Bench, scale: number, json: boolean): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mqb-bench-'))
  const context: RunContext = { folder, count: full => Math.max(1, Math.round(full * scale)) }
  try {
    await bench.prepare?.(context)
    if (!json) console.log(header)
    for (const each of bench.cases) await runCase(each, context, json)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runCase(each: BenchCase, context: RunContext, json: boolean): Promise<void> {
  const comparison = await compare(each, context)
  if (json) console.log(JSON.stringify(comparison.result))
  else for (const line of resultLines(each, comparison)) console.log(line)
}

async function list(names: readonly string[]): Promise<number> {
  const width = Math.max(0, ...names.map(name => name.length))
  for (const name of names) console.log(`${name.padEnd(width)}  ${(await load(name)).summary}`)
  console.log('\nrun one with "pnpm bench NAME", with --json for one line of JSON per figure')
  return 0
}

function benchNames(): string[] {
  if (!existsSync(benchFolder)) return []
  return readdirSync(benchFolder)
    .filter(file => /\.(ts|mjs)$/.test(file))
    .map(file => file.replace(/\.(ts|mjs)$/, ''))
    .sort()
}

async function load(name: string): Promise<Bench> {
  const file = ['ts', 'mjs'].map(end => join(benchFolder, `${name}.${end}`)).find(existsSync)
  if (file === undefined) throw new Error(`there is no bench ${name}`)
  return ((await import(pathToFileURL(file).href)) as { default: Bench }).default
}

/** Measures what users run: the built packages. */
function build(): boolean {
  const answer = spawnSync('pnpm', ['exec', 'turbo', 'run', 'build', '--output-logs=errors-only'], {
    cwd: workspaceRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (answer.status !== 0) console.error(`${answer.stdout}${answer.stderr}`)
  return answer.status === 0
}

function usage(problem: string): number {
  console.error(`${problem}\nusage: pnpm bench [NAME] [--json] [--scale FACTOR]`)
  return 2
}
