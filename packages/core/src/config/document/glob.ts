import { existsSync, readdirSync, statSync } from 'node:fs'
import { isAbsolute, join, parse, relative, sep } from 'node:path'

/**
 * The files that match a pattern, sorted. `*` and `?` stay within one name and skip names that begin with a dot, `**`
 * is any number of folders. A path without them is returned as it is when the file exists.
 */
export function expandGlob(pattern: string, folder: string): string[] {
  const absolute = isAbsolute(pattern) ? pattern : join(folder, pattern)
  if (!isGlob(pattern)) return existsSync(absolute) ? [absolute] : []
  const { root } = parse(absolute)
  const parts = relative(root, absolute).split(sep)
  return [...new Set(walk(root, parts))].sort()
}

export function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern)
}

function walk(folder: string, parts: readonly string[]): string[] {
  const [part, ...rest] = parts
  if (part === undefined) return []
  if (part === '**') {
    const deeper = entriesOf(folder).filter(name => !name.startsWith('.') && isFolder(join(folder, name)))
    return [...walk(folder, rest), ...deeper.flatMap(name => walk(join(folder, name), parts))]
  }
  const names = isGlob(part) ? entriesOf(folder).filter(name => matcherOf(part).test(name)) : [part]
  return names.flatMap(name => {
    const path = join(folder, name)
    if (rest.length > 0) return isFolder(path) ? walk(path, rest) : []
    return existsSync(path) && !isFolder(path) ? [path] : []
  })
}

function matcherOf(part: string): RegExp {
  const source = part
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^(?!\\.)${source}$`)
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
