import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the checkout. */
export const workspaceRoot: string = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** The folders whose subfolders are packages, as `pnpm-workspace.yaml` lists them. */
const packageFolders = ['packages', 'packages/connectors', 'packages/middlewares', 'apps', 'tooling']

export interface WorkspacePackage {
  /** As in its `package.json`. */
  readonly name: string
  /** Absolute. */
  readonly folder: string
  readonly manifest: Readonly<Record<string, unknown>>
}

/** Every package of the workspace, sorted by name. A new folder with a `package.json` is found without any list. */
export function workspacePackages(): WorkspacePackage[] {
  const found: WorkspacePackage[] = []
  for (const parent of packageFolders) {
    const parentFolder = join(workspaceRoot, parent)
    if (!existsSync(parentFolder)) continue
    for (const entry of readdirSync(parentFolder)) {
      const folder = join(parentFolder, entry)
      const manifestPath = join(folder, 'package.json')
      if (!existsSync(manifestPath)) continue
      const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as Record<string, unknown>
      found.push({ name: String(manifest.name), folder, manifest })
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Points each package name, and each of its entries such as `@mqb/core/config`, at its sources: tests need no build. */
export function workspaceAliases(): { find: RegExp; replacement: string }[] {
  const aliases: { find: RegExp; replacement: string }[] = []
  for (const { name, folder, manifest } of workspacePackages()) {
    for (const entry of Object.keys((manifest.exports as Record<string, unknown> | undefined) ?? {})) {
      if (entry === './package.json') continue
      const source = join(folder, 'src', entry === '.' ? 'index.ts' : `${entry.slice(2)}/index.ts`)
      if (!existsSync(source)) continue
      const specifier = entry === '.' ? name : `${name}/${entry.slice(2)}`
      aliases.push({ find: new RegExp(`^${specifier}$`), replacement: source })
    }
  }
  return aliases
}
