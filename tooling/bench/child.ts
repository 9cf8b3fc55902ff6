import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export interface ChildRun {
  /** From spawn to exit. */
  readonly seconds: number
  /** Peak resident memory in MiB. */
  readonly rssMb: number
  readonly stdout: string
  readonly stderr: string
}

const usageReporter = pathToFileURL(fileURLToPath(new URL('./usage-reporter.mjs', import.meta.url))).href

/**
 * Runs a Node program in a process of its own, so that no side inherits the warm code or the memory of the other.
 * Programs are plain JavaScript and import the built packages, which is what users run.
 *
 * @param args as for the command line of Node: flags first, then the script and its arguments
 * @throws {Error} it ended with another code than 0; the text has what it wrote to stderr
 */
export async function runNode(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ChildRun> {
  const scratch = mkdtempSync(join(tmpdir(), 'mqb-bench-child-'))
  const usageFile = join(scratch, 'usage.json')
  try {
    const start = performance.now()
    const { code, stdout, stderr } = await spawned(args, {
      ...options,
      env: { ...options.env, MQB_BENCH_USAGE: usageFile },
    })
    const seconds = (performance.now() - start) / 1000
    if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}\n${stderr}`)
    const usage = JSON.parse(readFileSync(usageFile, 'utf8')) as { peakBytes: number }
    return { seconds, rssMb: usage.peakBytes / 2 ** 20, stdout, stderr }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Runs a program that prints one JSON value in the last line of its output. */
export async function runForResult<T>(
  args: readonly string[],
  options: Parameters<typeof runNode>[1] = {},
): Promise<ChildRun & { readonly result: T }> {
  const run = await runNode(args, options)
  return { ...run, result: JSON.parse(run.stdout.trimEnd().split('\n').at(-1) ?? '') as T }
}

function spawned(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env: Readonly<Record<string, string>> },
): Promise<{ code: number | string; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', usageReporter, ...args], {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', part => {
      stdout += part
    })
    child.stderr.setEncoding('utf8').on('data', part => {
      stderr += part
    })
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code: code ?? signal ?? 'nothing', stdout, stderr }))
  })
}
