import fs, { promises } from 'node:fs'
import { dirname } from 'node:path'

/** What identifies a file, and how long it is. */
export interface FileFacts {
  readonly device: bigint
  readonly inode: bigint
  readonly size: number
  readonly isFile: boolean
  readonly isDirectory: boolean
  /** A named pipe or a socket: nothing can be read at a position. */
  readonly isPipe: boolean
  readonly modifiedMs: number
  /** Permission bits. */
  readonly mode: number
  readonly owner: number
  readonly group: number
}

/** The calls that this package makes; replaced in tests to make a disk fail. Paths and descriptors as in `node:fs`. */
export interface FileSystem {
  /** @param mode permissions of a file that is created; what the process makes by default when left out. */
  open(path: string, flags: string | number, mode?: number): Promise<number>
  close(descriptor: number): Promise<void>
  /** Reads at most `length` bytes at `position` (`null`: where the descriptor stands); 0 at the end. */
  read(
    descriptor: number,
    into: Buffer,
    offset: number,
    length: number,
    position: number | null,
  ): Promise<number>
  /** Writes at the end or at `position`; may write less than it was given. Resolves to the bytes written. */
  write(descriptor: number, parts: readonly Buffer[], position?: number): Promise<number>
  /** `undefined` when there is nothing. Synchronous: it is asked before each write, where a thread hop costs 50 times more. */
  facts(path: string): FileFacts | undefined
  factsOf(descriptor: number): FileFacts
  truncate(descriptor: number, size: number): Promise<void>
  /** Forces the bytes of the file to the disk. */
  sync(descriptor: number): Promise<void>
  /** Forces the entries of a directory to the disk, where the system can. */
  syncDirectory(path: string): Promise<void>
  changeMode(descriptor: number, mode: number): Promise<void>
  changeOwner(descriptor: number, owner: number, group: number): Promise<void>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  makeDirectory(path: string): Promise<void>
  list(path: string): Promise<string[]>
}

function toFacts(stats: fs.BigIntStats): FileFacts {
  return {
    device: stats.dev,
    inode: stats.ino,
    size: Number(stats.size),
    isFile: stats.isFile(),
    isDirectory: stats.isDirectory(),
    isPipe: stats.isFIFO() || stats.isSocket(),
    modifiedMs: Number(stats.mtimeMs),
    mode: Number(stats.mode) & 0o7777,
    owner: Number(stats.uid),
    group: Number(stats.gid),
  }
}

export const nodeFileSystem: FileSystem = {
  open: (path, flags, mode) =>
    new Promise((resolve, reject) => {
      fs.open(path, flags, mode ?? 0o666, (error, descriptor) =>
        error ? reject(error) : resolve(descriptor),
      )
    }),
  close: descriptor =>
    new Promise((resolve, reject) => {
      fs.close(descriptor, error => (error ? reject(error) : resolve()))
    }),
  read: (descriptor, into, offset, length, position) =>
    new Promise((resolve, reject) => {
      fs.read(descriptor, into, offset, length, position, (error, count) =>
        error ? reject(error) : resolve(count),
      )
    }),
  write: (descriptor, parts, position) =>
    new Promise((resolve, reject) => {
      const done = (error: Error | null, count: number): void => (error ? reject(error) : resolve(count))
      const only = parts.length === 1 ? parts[0] : undefined
      if (only !== undefined) fs.write(descriptor, only, 0, only.length, position ?? null, done)
      else if (position === undefined) fs.writev(descriptor, parts, done)
      else fs.writev(descriptor, parts, position, done)
    }),
  facts: path => {
    const stats = fs.statSync(path, { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? undefined : toFacts(stats)
  },
  factsOf: descriptor => toFacts(fs.fstatSync(descriptor, { bigint: true })),
  truncate: (descriptor, size) =>
    new Promise((resolve, reject) => {
      fs.ftruncate(descriptor, size, error => (error ? reject(error) : resolve()))
    }),
  sync: descriptor =>
    new Promise((resolve, reject) => {
      fs.fdatasync(descriptor, error => (error ? reject(error) : resolve()))
    }),
  syncDirectory: async path => {
    // Windows cannot open a directory; there a rename is as durable as it gets.
    if (process.platform === 'win32') return
    const handle = await promises.open(path, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
  changeMode: (descriptor, mode) =>
    new Promise((resolve, reject) => {
      fs.fchmod(descriptor, mode, error => (error ? reject(error) : resolve()))
    }),
  changeOwner: (descriptor, owner, group) =>
    new Promise((resolve, reject) => {
      fs.fchown(descriptor, owner, group, error => (error ? reject(error) : resolve()))
    }),
  rename: (from, to) => promises.rename(from, to),
  remove: path => promises.rm(path, { force: true }),
  makeDirectory: async path => {
    await makeDirectories(path)
  },
  list: path => promises.readdir(path),
}

/** Not `recursive: true`: in folders that say "no such thing" to whatever is made in them (`/proc`), Node tries for ever. */
async function makeDirectories(path: string, parentIsThere = false): Promise<void> {
  try {
    await promises.mkdir(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && !parentIsThere && dirname(path) !== path) {
      await makeDirectories(dirname(path))
      await makeDirectories(path, true)
    } else if (code !== 'EEXIST' || !fs.statSync(path).isDirectory()) throw error
  }
}

/** Whether two facts are about one file. */
export function isSameFile(a: FileFacts, b: FileFacts): boolean {
  return a.inode === b.inode && a.device === b.device
}

/** Reads `length` bytes at `position`, fewer only at the end of the file. */
export async function readFully(
  fileSystem: FileSystem,
  descriptor: number,
  position: number,
  length: number,
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length)
  let filled = 0
  while (filled < length) {
    const count = await fileSystem.read(descriptor, bytes, filled, length - filled, position + filled)
    if (count === 0) break
    filled += count
  }
  return bytes.subarray(0, filled)
}
