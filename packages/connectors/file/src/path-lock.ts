import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

const mostLinks = 40

/** One name for a file however it is written, behind all links; the file itself need not exist. */
export function fileKey(path: string): string {
  let full = resolve(path)
  for (let links = 0; links < mostLinks; links++) {
    try {
      return realpathSync(full)
    } catch {
      try {
        full = join(realpathSync(dirname(full)), basename(full))
        // A link to what is not there yet.
        full = resolve(dirname(full), readlinkSync(full))
      } catch {
        return full
      }
    }
  }
  return full
}

const locks = new Map<string, Promise<void>>()

/** Runs one action after the other for each file: those that write and those that replace it never overlap. */
export async function withFileLock<T>(key: string, action: () => Promise<T>): Promise<T> {
  const before = locks.get(key)
  let release: () => void = () => undefined
  const held = new Promise<void>(resolveHeld => {
    release = resolveHeld
  })
  const tail = before === undefined ? held : before.then(() => held)
  locks.set(key, tail)
  try {
    await before
    return await action()
  } finally {
    release()
    if (locks.get(key) === tail) locks.delete(key)
  }
}
