import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..')
export const cliFolder = join(repository, 'apps', 'cli')

const lockPath = join(repository, 'node_modules', '.cache', 'mqb-cli-tests.lock')
const longestBuildMs = 300_000
let fresh: Promise<void> | undefined

/** Builds the command and what it is made of, if a source is newer than what was built. Once at a time. */
export function ensureBuilt(): Promise<void> {
  fresh ??= build()
  return fresh
}

async function build(): Promise<void> {
  if (isFresh()) return
  mkdirSync(dirname(lockPath), { recursive: true })
  const deadline = Date.now() + longestBuildMs
  while (!takeLock()) {
    if (Date.now() > deadline) throw new Error(`another build holds ${lockPath}`)
    await sleep(100)
  }
  try {
    if (isFresh()) return
    for (const folder of packagesOfCli()) if (!isBuilt(folder)) compile(folder)
  } finally {
    rmSync(lockPath, { force: true })
  }
}

function takeLock(): boolean {
  try {
    const file = openSync(lockPath, 'wx')
    writeSync(file, String(process.pid))
    closeSync(file)
    return true
  } catch {
    if (existsSync(lockPath) && !isAlive(Number(readFileSync(lockPath, 'utf8'))))
      rmSync(lockPath, { force: true })
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function compile(folder: string): void {
  try {
    execFileSync(join(repository, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.json'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    throw new Error(`${folder} cannot be built:\n${(error as { stdout: string }).stdout}`)
  }
}

const isFresh = (): boolean => packagesOfCli().every(isBuilt)

function isBuilt(folder: string): boolean {
  // Every build writes all files.
  const built = join(folder, 'dist', 'index.js')
  return existsSync(built) && newest(join(folder, 'src')) <= statSync(built).mtimeMs
}

/** The command and, transitively, the workspace packages that it depends on; each after those that it needs. */
function packagesOfCli(): string[] {
  const seen = new Set<string>()
  const ordered: string[] = []
  const visit = (folder: string): void => {
    if (seen.has(folder)) return
    seen.add(folder)
    const { dependencies, peerDependencies } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Record<'dependencies' | 'peerDependencies', Record<string, string> | undefined>
    for (const [name, range] of Object.entries({ ...dependencies, ...peerDependencies }))
      if (range.startsWith('workspace:')) visit(realpathSync(join(folder, 'node_modules', name)))
    ordered.push(folder)
  }
  visit(cliFolder)
  return ordered
}

function newest(folder: string): number {
  return Math.max(0, ...filesIn(folder).map(path => statSync(path).mtimeMs))
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}
