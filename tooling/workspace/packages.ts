import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the checkout. */
export const workspaceRoot: string = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** The folders whose subfolders are packages, as `pnpm-workspace.yaml` lists them. */
const packageFolders = ['packages', 'packages/connectors', 'packages/middlewares', 'apps', 'tooling']

/** What the tooling reads of a `package.json`. */
export interface PackageManifest {
  readonly name: string
  readonly version?: string
  readonly description?: string
  readonly private?: boolean
  readonly license?: string
  readonly keywords?: readonly string[]
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly bin?: Readonly<Record<string, string>>
  readonly files?: readonly string[]
  readonly sideEffects?: boolean
  readonly type?: string
  readonly engines?: Readonly<Record<string, string>>
  readonly repository?: { readonly type?: string; readonly url?: string; readonly directory?: string }
  readonly publishConfig?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export interface WorkspacePackage {
  /** As in its `package.json`. */
  readonly name: string
  /** Absolute. */
  readonly folder: string
  /** From the root, with `/`. */
  readonly directory: string
  readonly manifest: PackageManifest
}

/** Every package of the workspace, sorted by name. A new folder with a `package.json` is found without any list. */
export function workspacePackages(root: string = workspaceRoot): WorkspacePackage[] {
  const found: WorkspacePackage[] = []
  for (const parent of packageFolders) {
    const parentFolder = join(root, parent)
    if (!existsSync(parentFolder)) continue
    for (const entry of readdirSync(parentFolder)) {
      const folder = join(parentFolder, entry)
      const manifestPath = join(folder, 'package.json')
      if (!existsSync(manifestPath)) continue
      const manifest = JSON.parse(readFileSync(manifestPath, 'utf8')) as PackageManifest
      found.push({ name: manifest.name, folder, directory: `${parent}/${entry}`, manifest })
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Those that are published. */
export function publicPackages(root: string = workspaceRoot): WorkspacePackage[] {
  return workspacePackages(root).filter(each => each.manifest.private !== true)
}
