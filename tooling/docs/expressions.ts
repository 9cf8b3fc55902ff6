import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  closureDefinitions,
  functionDefinitions,
  methodDefinitions,
} from '../../packages/expression/src/index.ts'
import { workspaceRoot } from '../workspace/packages.ts'
import { code, table } from './markdown.ts'
import { replaceGenerated } from './markers.ts'

const path = 'docs/expressions.md'

interface Entry {
  readonly signature: string
  readonly summary: string
}

const tableOf = (entries: readonly Entry[], prefix = ''): string =>
  table(
    ['', ''],
    entries.map(({ signature, summary }) => [code(`${prefix}${signature}`), summary]),
  )

/** The page about the language with its tables of functions filled in. */
export function expressionPage(): Map<string, string> {
  const file = join(workspaceRoot, path)
  if (!existsSync(file)) return new Map()
  const groups = new Set(functionDefinitions.map(each => each.group))
  let text = readFileSync(file, 'utf8')
  const fill = (name: string, content: string): void => {
    const filled = replaceGenerated(text, name, content)
    if (filled === undefined)
      throw new Error(`${path} has no place for "${name}": add <!-- generated: ${name} -->`)
    text = filled
  }
  for (const group of groups)
    fill(`functions ${group}`, tableOf(functionDefinitions.filter(each => each.group === group)))
  fill('closures', tableOf(closureDefinitions))
  fill('methods', tableOf(methodDefinitions, '.'))
  return new Map([[path, text]])
}
