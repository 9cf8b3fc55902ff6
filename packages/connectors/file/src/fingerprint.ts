import { createHash } from 'node:crypto'
import { type FileSystem, readFully } from './file-system.ts'

const longest = 1024

/**
 * Tells files with the same name or the same inode apart: `length:hash` of the first bytes, at most 1024 of them.
 * Short files have a short one, which still matches after they have grown.
 */
export async function fingerprintOf(
  fileSystem: FileSystem,
  descriptor: number,
  size: number,
): Promise<string> {
  const first = await readFully(fileSystem, descriptor, 0, Math.min(longest, size))
  return `${first.length}:${hash(first)}`
}

/** Whether the file begins with the bytes that the fingerprint was made of. */
export async function matchesFingerprint(
  fileSystem: FileSystem,
  descriptor: number,
  fingerprint: string,
): Promise<boolean> {
  const [lengthText, digest] = fingerprint.split(':')
  const length = Number(lengthText)
  if (!Number.isInteger(length) || length < 0 || length > longest || digest === undefined) return false
  const first = await readFully(fileSystem, descriptor, 0, length)
  return first.length === length && hash(first) === digest
}

/** Whether a longer fingerprint can be made of a file that has grown to `size`. */
export function canGrow(fingerprint: string, size: number): boolean {
  return Number.parseInt(fingerprint, 10) < Math.min(longest, size)
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32)
}
