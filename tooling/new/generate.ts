import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { workspaceRoot } from '../workspace/packages.ts'
import { namesOf } from './names.ts'

export type PackageKind = 'connector' | 'middleware'

export const packageKinds: readonly PackageKind[] = ['connector', 'middleware']

const templates = join(workspaceRoot, 'tooling', 'new', 'templates')
const ending = '.tmpl'

/** What stands for `{{name}}` in a template. */
type Values = Readonly<Record<string, string>>

/** The files of a new package, by path within it. */
export function packageFiles(kind: PackageKind, name: string): Map<string, string> {
  const values: Values = { ...namesOf(name), kind }
  const files = new Map<string, string>()
  for (const [path, text] of templateFiles(join(templates, kind)))
    files.set(fill(path, values), fill(text, values))
  files.set('tsconfig.json', fill(shared('tsconfig.json'), values))
  files.set('LICENSE', readFileSync(join(workspaceRoot, 'LICENSE'), 'utf8'))
  return files
}

/** The changeset that announces it. */
export function changesetFor(kind: PackageKind, name: string): string {
  return fill(shared('changeset.md'), { ...namesOf(name), kind })
}

export function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

function templateFiles(folder: string): [path: string, text: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith(ending))
    .map(entry => join(entry.parentPath, entry.name))
    .map(file => [file.slice(folder.length + 1, -ending.length), readFileSync(file, 'utf8')])
}

function shared(path: string): string {
  return readFileSync(join(templates, 'shared', `${path}${ending}`), 'utf8')
}

function fill(text: string, values: Values): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`the template names {{${name}}}, which does not exist`)
    return value
  })
}
