import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PackageManifest, workspaceRoot } from '../workspace/packages.ts'
import type { Model } from './model.ts'

export const commandManifest = 'apps/cli/package.json'

/** The manifest of the command with every plugin of the workspace among its dependencies. */
export function commandManifestWith(model: Model): string {
  const text = readFileSync(join(workspaceRoot, commandManifest), 'utf8')
  const manifest = JSON.parse(text) as PackageManifest
  const dependencies: Record<string, string> = { ...manifest.dependencies }
  for (const { name } of model.packages) dependencies[name] ??= 'workspace:*'
  if (Object.keys(dependencies).length === Object.keys(manifest.dependencies ?? {}).length) return text
  const sorted = Object.fromEntries(Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1)))
  return `${JSON.stringify({ ...manifest, dependencies: sorted }, null, 2)}\n`
}
