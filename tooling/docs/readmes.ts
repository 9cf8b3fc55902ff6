import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { publicPackages, type WorkspacePackage, workspaceRoot } from '../workspace/packages.ts'
import { fieldsOf, promises } from './components.ts'
import { errorTableOf } from './errors.ts'
import { code, table } from './markdown.ts'
import { generatedNames, replaceGenerated } from './markers.ts'
import type { Component, Model } from './model.ts'

/**
 * The READMEs with their generated places filled in, by path from the root. The places are:
 *
 * - `packages` in the README of the root,
 * - `endpoint NAME fields`, `endpoint NAME promises`, `middleware NAME fields` and `error codes` in that of a package.
 */
export async function readmes(model: Model): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  const rootReadme = join(workspaceRoot, 'README.md')
  if (existsSync(rootReadme)) {
    const text = readFileSync(rootReadme, 'utf8')
    pages.set('README.md', replaceGenerated(text, 'packages', packageTable()) ?? text)
  }
  for (const each of publicPackages()) {
    const path = join(each.folder, 'README.md')
    if (!existsSync(path)) continue
    let text = readFileSync(path, 'utf8')
    for (const name of generatedNames(text)) {
      const content = await contentOf(name, each, model)
      if (content === undefined)
        throw new Error(`${each.directory}/README.md has an unknown generated place "${name}"`)
      text = replaceGenerated(text, name, content) ?? text
    }
    pages.set(`${each.directory}/README.md`, text)
  }
  return pages
}

async function contentOf(place: string, each: WorkspacePackage, model: Model): Promise<string | undefined> {
  if (place === 'error codes') return errorTableOf(each)
  const [kind, name, what] = place.split(' ')
  const find = <D>(components: readonly Component<D>[]) =>
    components.find(component => component.name === name && component.package.name === each.name)
  if (kind === 'endpoint') {
    const found = find(model.endpoints)
    if (found !== undefined && what === 'fields') return fieldsOf(found)
    if (found !== undefined && what === 'promises') return promises(found, model.planner)
  }
  if (kind === 'middleware') {
    const found = find(model.middlewares)
    if (found !== undefined && what === 'fields') return fieldsOf(found)
  }
  return undefined
}

/** Every published package with its one line. */
function packageTable(): string {
  return table(
    ['Package', 'What it is'],
    publicPackages().map(each => [
      `[${code(each.name)}](${each.directory})`,
      each.manifest.description ?? '',
    ]),
  )
}
