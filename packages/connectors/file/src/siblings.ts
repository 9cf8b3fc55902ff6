import { basename, dirname, extname, join } from 'node:path'
import { type FileFacts, type FileSystem, isSameFile } from './file-system.ts'
import { matchesFingerprint } from './fingerprint.ts'
import type { StoredPosition } from './offset-file.ts'

interface RotatedFile {
  readonly path: string
  readonly facts: FileFacts
  /** Named as log rotation names files, not only with the same beginning. */
  readonly isNumbered: boolean
}

const notLogs = /\.(offset|tmp|gz|zst|lz4|bz2|xz|zip)$|\.torn-/

/**
 * The file that a stored position belongs to, when `path` has been rotated to another name since then. `undefined` when
 * no file beside `path` begins like it and is long enough.
 */
export async function findRotated(
  fileSystem: FileSystem,
  path: string,
  stored: StoredPosition,
): Promise<string | undefined> {
  const { fingerprint } = stored
  if (fingerprint === undefined || fingerprint.startsWith('0:')) return undefined
  let own: RotatedFile | undefined
  for (const candidate of await rotatedFiles(fileSystem, path)) {
    if (candidate.facts.size < stored.offset) continue
    if (!(await hasFingerprint(fileSystem, candidate.path, fingerprint))) continue
    // Of files that begin alike, the inode tells which one it is.
    if (own === undefined || String(candidate.facts.inode) === String(stored.inode)) own = candidate
  }
  return own?.path
}

/** Files that `path` was rotated to after the file of `facts`, oldest first: more than one rotation was missed. */
export async function rotatedSince(
  fileSystem: FileSystem,
  path: string,
  facts: FileFacts,
): Promise<string[]> {
  const files = await rotatedFiles(fileSystem, path)
  return files
    .filter(file => file.isNumbered && !isSameFile(file.facts, facts))
    .filter(file => file.facts.modifiedMs > facts.modifiedMs)
    .sort((a, b) => a.facts.modifiedMs - b.facts.modifiedMs)
    .map(file => file.path)
}

/** `app.log.1`, `app.log-20260101`, `app-20260101.log` for `app.log`; not the live file. */
async function rotatedFiles(fileSystem: FileSystem, path: string): Promise<RotatedFile[]> {
  const directory = dirname(path)
  const name = basename(path)
  const extension = extname(name)
  const stem = extension === '' ? name : name.slice(0, -extension.length)
  const files: RotatedFile[] = []
  for (const entry of await fileSystem.list(directory).catch(() => [])) {
    if (entry === name || notLogs.test(entry)) continue
    const isDated = extension !== '' && entry.endsWith(extension) && entry.startsWith(stem)
    const suffix = entry.startsWith(name) ? entry.slice(name.length) : isDated ? entry.slice(stem.length) : ''
    if (!/^[-._]/.test(suffix)) continue
    const full = join(directory, entry)
    const facts = fileSystem.facts(full)
    if (facts?.isFile) files.push({ path: full, facts, isNumbered: /^[-._](\d|old$|prev$)/.test(suffix) })
  }
  return files
}

async function hasFingerprint(fileSystem: FileSystem, path: string, fingerprint: string): Promise<boolean> {
  const descriptor = await fileSystem.open(path, 'r').catch(() => undefined)
  if (descriptor === undefined) return false
  try {
    return await matchesFingerprint(fileSystem, descriptor, fingerprint)
  } finally {
    await fileSystem.close(descriptor)
  }
}
