import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { workspaceRoot } from '../workspace/packages.ts'
import { filesOfTheTree } from './tree.ts'

/** Folders of somebody's machine, whoever that is. */
const general = /(?<![\w.])(?:\/root\/|\/home\/(?!user\/|mqb\/)[\w.-]+\/|\/Users\/[\w.-]+\/|[A-Z]:\\Users\\)/

/** Paths of the machine on which something was written: they would be wrong everywhere else. */
export function machinePathFindings(): string[] {
  return filesOfTheTree().flatMap(path => {
    const file = join(workspaceRoot, path)
    if (!existsSync(file)) return []
    return pathsIn(readFileSync(file, 'latin1')).map(({ line, found }) => `${path}:${line} has ${found}`)
  })
}

export function pathsIn(
  text: string,
  here: readonly string[] = [workspaceRoot, homedir()],
): { line: number; found: string }[] {
  const own = here.filter(path => path.split(/[\\/]/).length > 2).map(path => `${path}/`)
  if (text.includes('\0')) return []
  return text.split('\n').flatMap((line, index) => {
    const found = own.find(path => line.includes(path)) ?? general.exec(line)?.[0]
    return found === undefined ? [] : [{ line: index + 1, found }]
  })
}
