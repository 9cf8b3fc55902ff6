import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A TypeScript file, with its path from the folder that was searched. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** The TypeScript files below a folder, in order. */
export function sourceFiles(folder: string): SourceFile[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
    .map(entry => join(entry.parentPath, entry.name))
    .sort()
    .map(path => ({
      path: path.slice(folder.length + 1).replaceAll('\\', '/'),
      text: readFileSync(path, 'utf8'),
    }))
}

/** One import or re-export of a file. */
export interface ImportStatement {
  readonly specifier: string
  /** Nothing of it is left at run time. */
  readonly typeOnly: boolean
}

const statement = /^(?:import|export)\s+(type\s)?(?:[\w*{][^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]/gm
const dynamic = /\bimport\(\s*['"]([^'"]+)['"]/g

/** What a file imports, in the one form in which the formatter leaves such statements. */
export function importsOf(text: string): ImportStatement[] {
  return [
    ...[...text.matchAll(statement)].map(match => ({
      specifier: match[2] ?? '',
      typeOnly: match[1] !== undefined,
    })),
    ...[...text.matchAll(dynamic)].map(match => ({ specifier: match[1] ?? '', typeOnly: false })),
  ]
}

/** `@mqb/core/config` → `@mqb/core`; `undefined` for relative and built-in modules. */
export function packageNameOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
