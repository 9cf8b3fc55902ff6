import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const statement =
  /^export\s+(?:(?:type\s+)?(?<star>\*)\s+from\s+'(?<from>[^']+)'|(?:type\s+)?\{(?<list>[^}]*)\}|(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:const|let|class|interface|type|function\*?|enum)\s+(?<name>[A-Za-z_$][\w$]*)|(?<fallback>default)\b)/gm

/**
 * The names that a source file exports, types included, sorted: what a program can import from the entry that is built
 * of it. `export *` is followed into the files of the same package.
 */
export function exportedNames(path: string): string[] {
  const names = new Set<string>()
  for (const { groups = {} } of readFileSync(path, 'utf8').matchAll(statement)) {
    const { star, from, list, name, fallback } = groups
    if (star !== undefined && from !== undefined) {
      for (const inner of exportedNames(join(dirname(path), from))) if (inner !== 'default') names.add(inner)
    }
    for (const item of list?.split(',') ?? []) {
      const written = item.trim().replace(/^type\s+/, '')
      if (written !== '') names.add(written.split(/\s+as\s+/).at(-1)!)
    }
    const own = name ?? fallback
    if (own !== undefined) names.add(own)
  }
  return [...names].sort()
}
