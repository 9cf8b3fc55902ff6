import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { workspacePackages } from './packages.ts'

/** Points each package name, and each of its entries such as `@mqb/core/config`, at its sources: tests need no build. */
export function workspaceAliases(): { find: RegExp; replacement: string }[] {
  const aliases: { find: RegExp; replacement: string }[] = []
  for (const { name, folder, manifest } of workspacePackages()) {
    for (const entry of Object.keys(manifest.exports ?? {})) {
      if (entry === './package.json') continue
      const source = join(folder, 'src', entry === '.' ? 'index.ts' : `${entry.slice(2)}/index.ts`)
      if (!existsSync(source)) continue
      const specifier = entry === '.' ? name : `${name}/${entry.slice(2)}`
      aliases.push({ find: new RegExp(`^${specifier}$`), replacement: source })
    }
  }
  return aliases
}
