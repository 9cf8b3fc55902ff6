import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder for one test, removed when it is over. */
export interface Scratch {
  readonly folder: string
  path(name: string): string
  write(name: string, text: string | Uint8Array): string
  read(name: string): string
  /** Empty when there is no such file. */
  lines(name: string): string[]
  json(name: string): unknown[]
}

export function scratch(): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'mqb-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = (name: string): string => join(folder, name)
  const read = (name: string): string => readFileSync(path(name), 'utf8')
  const lines = (name: string): string[] =>
    existsSync(path(name))
      ? read(name)
          .split('\n')
          .filter(line => line !== '')
      : []
  return {
    folder,
    path,
    read,
    lines,
    json: name => lines(name).map(line => JSON.parse(line) as unknown),
    write(name, text) {
      mkdirSync(dirname(path(name)), { recursive: true })
      writeFileSync(path(name), text)
      return path(name)
    },
  }
}
