// Writes everything that is generated: reference pages, the marked places of READMEs, the catalogue of the command.
// With `--check` it writes nothing and fails when something on disk is not what it would write.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { workspaceRoot } from '../workspace/packages.ts'
import { catalogueSource } from './catalogue.ts'
import { commandManifest, commandManifestWith } from './command-manifest.ts'
import { expressionPage } from './expressions.ts'
import { readModel } from './model.ts'
import { readmes } from './readmes.ts'
import { referencePages } from './reference.ts'

const check = process.argv.includes('--check')
const model = await readModel()
const files = new Map([
  ...(await referencePages(model)),
  ...(await readmes(model)),
  ...expressionPage(),
  ['apps/cli/src/catalogue.generated.ts', catalogueSource(model)],
  [commandManifest, commandManifestWith(model)],
])

const changed = [...files].filter(([path, content]) => read(path) !== content).map(([path]) => path)
const left = filesUnder('docs/reference').filter(path => !files.has(path))

if (check) {
  for (const path of changed) console.error(`${path} is not up to date`)
  for (const path of left) console.error(`${path} describes something that is gone`)
  if (changed.length + left.length > 0) {
    console.error('run "pnpm docs:build" and commit what it writes')
    process.exitCode = 1
  }
} else {
  for (const path of changed) {
    mkdirSync(dirname(join(workspaceRoot, path)), { recursive: true })
    writeFileSync(join(workspaceRoot, path), files.get(path) ?? '')
    console.log(`wrote ${path}`)
  }
  for (const path of left) {
    rmSync(join(workspaceRoot, path))
    console.log(`removed ${path}`)
  }
  if (changed.includes(commandManifest)) console.log('run "pnpm install": the command has a new dependency')
}

function read(path: string): string | undefined {
  const file = join(workspaceRoot, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function filesUnder(folder: string): string[] {
  const absolute = join(workspaceRoot, folder)
  if (!existsSync(absolute)) return []
  return readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry =>
      join(entry.parentPath, entry.name)
        .slice(workspaceRoot.length + 1)
        .replaceAll('\\', '/'),
    )
}
