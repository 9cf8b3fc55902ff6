import { execFileSync } from 'node:child_process'
import { workspaceRoot } from '../workspace/packages.ts'

/** What is committed or would be, by path from the root. */
export function filesOfTheTree(): string[] {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: workspaceRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
    .split('\0')
    .filter(path => path !== '')
}
