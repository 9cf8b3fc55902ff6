import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { until } from './ends.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const script = fileURLToPath(new URL('./child.ts', import.meta.url))
const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href

/** A folder that is gone after the test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mqb-ipc-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Another process, running `child.ts`; it is killed at the end of the test. */
export interface Child {
  readonly process: ChildProcess
  /** What it wrote to stdout, by lines that are whole. */
  lines(): string[]
  saying(line: string): Promise<void>
  /** Resolves at its end, with the exit code or the name of the signal. */
  readonly done: Promise<number | string>
}

export function startChild(...args: readonly string[]): Child {
  const child = spawn(process.execPath, ['--import', loader, script, ...args], {
    env: { ...process.env, TSX_TSCONFIG_PATH: join(root, 'tsconfig.json') },
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
  let ended = false
  const done = new Promise<number | string>(resolve => {
    child.once('close', (code, signal) => {
      ended = true
      resolve(code ?? signal ?? 'nothing')
    })
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await done
  })
  const lines = (): string[] => stdout.split('\n').slice(0, -1)
  return {
    process: child,
    lines,
    async saying(line) {
      await until(() => ended || lines().includes(line), `the child says ${line}: ${stderr}`)
      if (!lines().includes(line)) throw new Error(`the child ended without saying ${line}: ${stderr}`)
    },
    done,
  }
}
