import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const isPath = (specifier: string): boolean =>
  isAbsolute(specifier) || specifier.startsWith('.') || specifier.startsWith('file:')

/**
 * Finds the module behind what a user wrote: a file, a folder with a `package.json`, or a package that is installed
 * somewhere upwards from `from`.
 *
 * @param from folder that relative paths count from.
 * @returns an absolute path, or `undefined` when there is no such thing.
 */
export function locatePlugin(specifier: string, from: string): string | undefined {
  const path = specifier.startsWith('file:') ? fileURLToPath(specifier) : resolve(from, specifier)
  if (isPath(specifier) || (existsSync(path) && /\.[cm]?[jt]s$/.test(path))) return moduleAt(path)
  try {
    return createRequire(join(from, 'from-here.js')).resolve(specifier)
  } catch {
    // The package exports nothing to `require`, or is not there: look for it as an import would.
    for (let folder = from; ; folder = dirname(folder)) {
      const found = moduleAt(join(folder, 'node_modules', specifier))
      if (found !== undefined) return found
      if (folder === dirname(folder)) return undefined
    }
  }
}

function moduleAt(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  if (!statSync(path).isDirectory()) return path
  const manifestPath = join(path, 'package.json')
  if (!existsSync(manifestPath)) return undefined
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as { exports?: unknown; main?: unknown }
  const entry = entryOf(manifest.exports) ?? (typeof manifest.main === 'string' ? manifest.main : 'index.js')
  const module = join(path, entry)
  return existsSync(module) ? module : undefined
}

/** The file that `import` of the whole package gets. */
function entryOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports
  if (typeof exports !== 'object' || exports === null) return undefined
  const conditions = exports as Record<string, unknown>
  return entryOf(conditions['.'] ?? conditions.import ?? conditions.node ?? conditions.default)
}
