import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { cliFolder, ensureBuilt } from './build.ts'

// Tests with this start real processes, some of them many, and share the machine with others.
vi.setConfig({ testTimeout: 60_000 })

export const bin = join(cliFolder, 'bin', 'mqb.js')
export const nodeFlags = ['--max-semi-space-size=64']

export interface MqbOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Written to stdin, which is then closed. Without it stdin is empty. */
  readonly input?: string | Uint8Array
  /** Leave stdin open for `process.stdin`. */
  readonly openInput?: boolean
}

export interface Finished {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly process: ChildProcess
  stdout(): string
  stderr(): string
  /** Resolves when stderr matches; rejects when the process ends before. */
  saying(pattern: RegExp): Promise<void>
  /** Resolves when the condition holds; rejects when the process ends before. */
  until(condition: () => boolean, what: string): Promise<void>
  kill(signal: NodeJS.Signals): void
  readonly done: Promise<Finished>
}

/** Runs the command, as built, until it ends. */
export async function mqb(args: readonly string[], options: MqbOptions = {}): Promise<Finished> {
  return (await startMqb(args, options)).done
}

/** Starts the command, as built. It is killed at the end of the test if it still runs. */
export async function startMqb(args: readonly string[], options: MqbOptions = {}): Promise<Running> {
  await ensureBuilt()
  return follow(
    spawn(process.execPath, [...nodeFlags, bin, ...args], {
      cwd: options.cwd ?? cliFolder,
      env: cleanEnvironment(options.env),
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
    options,
  )
}

/** An environment in which nothing of the caller's changes what the command does. */
export function cleanEnvironment(additions: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of ['PATH', 'HOME', 'TMPDIR', 'LANG']) {
    const value = process.env[name]
    if (value !== undefined) kept[name] = value
  }
  return { ...kept, ...additions }
}

/** Collects what a process says. */
export function follow(child: ChildProcess, options: MqbOptions = {}): Running {
  let stdout = ''
  let stderr = ''
  let ended = false
  const watchers = new Set<() => void>()
  const changed = (): void => {
    for (const watcher of watchers) watcher()
  }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    changed()
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    changed()
  })
  child.stdin?.on('error', () => {})
  if (options.openInput !== true) child.stdin?.end(options.input ?? '')

  const done = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      ended = true
      resolve({ code, signal, stdout, stderr })
      changed()
    })
  })
  onTestFinished(async () => {
    if (!ended) child.kill('SIGKILL')
    await done
  })

  const until = (condition: () => boolean, what: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const poll = setInterval(check, 20)
      function check(): void {
        const holds = condition()
        if (!holds && !ended) return
        watchers.delete(check)
        clearInterval(poll)
        if (holds) resolve()
        else reject(new Error(`ended before ${what}\nstdout: ${stdout}\nstderr: ${stderr}`))
      }
      watchers.add(check)
      check()
    })

  return {
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    saying: pattern => until(() => pattern.test(stderr), `it said ${pattern}`),
    until,
    kill: signal => {
      child.kill(signal)
    },
    done,
  }
}
