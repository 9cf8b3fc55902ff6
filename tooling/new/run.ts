// `pnpm new connector NAME` and `pnpm new middleware NAME`: a package that builds and passes its tests as it is.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { workspaceRoot } from '../workspace/packages.ts'
import { changesetFor, type PackageKind, packageFiles, packageKinds, writeFiles } from './generate.ts'
import { namesOf } from './names.ts'

process.exitCode = main(process.argv.slice(2))

function main([kind, name]: readonly string[]): number {
  if (!isKind(kind) || name === undefined) {
    console.error('usage: pnpm new connector|middleware NAME')
    return 2
  }
  try {
    return create(kind, name)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
}

function create(kind: PackageKind, name: string): number {
  const { kebab } = namesOf(name)
  const directory = `packages/${kind}s/${kebab}`
  const folder = join(workspaceRoot, directory)
  if (existsSync(folder)) {
    console.error(`${directory} exists already: choose another name, or remove it first`)
    return 1
  }
  writeFiles(folder, packageFiles(kind, name))
  writeFiles(join(workspaceRoot, '.changeset'), new Map([[`new-${kebab}.md`, changesetFor(kind, name)]]))
  const steps = [
    ['pnpm', 'exec', 'biome', 'check', '--write', directory],
    ['pnpm', 'docs:build'],
    ['pnpm', 'install', '--no-frozen-lockfile'],
  ]
  for (const [command = '', ...args] of steps) {
    if (spawnSync(command, args, { cwd: workspaceRoot, stdio: 'inherit' }).status !== 0) return 1
  }
  console.log(
    [
      '',
      `${directory} is a whole package: run its tests with "pnpm exec vitest run ${directory}".`,
      'What to do next:',
      '  1. README.md and src/config.ts: say what can be lost, and what can be configured; ask for a look.',
      '  2. Replace what is marked REPLACE by the real thing; keep the conformance test green.',
      '  3. pnpm docs:build, pnpm check, pnpm changeset, and a pull request.',
    ].join('\n'),
  )
  return 0
}

function isKind(kind: string | undefined): kind is PackageKind {
  return packageKinds.some(each => each === kind)
}
