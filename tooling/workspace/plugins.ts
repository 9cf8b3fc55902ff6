import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from '@mqb/core'
import { publicPackages, type WorkspacePackage } from './packages.ts'

/** A package whose default export is a plugin. */
export interface PluginPackage extends WorkspacePackage {
  readonly plugin: Plugin
}

/** Whether a folder holds a plugin, as those of connectors and middlewares do; all others hold libraries. */
export function isPluginDirectory(directory: string): boolean {
  return /^packages\/(connectors|middlewares)\/|^packages\/structural$/.test(directory)
}

/** The plugins of the workspace, imported from their sources, sorted by package name. */
export async function workspacePlugins(): Promise<PluginPackage[]> {
  const found: PluginPackage[] = []
  for (const each of publicPackages()) {
    if (!isPluginDirectory(each.directory)) continue
    const entry = join(each.folder, 'src', 'index.ts')
    if (!existsSync(entry))
      throw new Error(`${each.directory} has no src/index.ts: a plugin package exports its plugin there`)
    const module = (await import(pathToFileURL(entry).href)) as { default?: Partial<Plugin> }
    if (module.default?.contract === undefined) {
      throw new Error(
        `${each.directory}/src/index.ts must export what definePlugin(…) returned as its default`,
      )
    }
    found.push({ ...each, plugin: module.default as Plugin })
  }
  return found
}
