import { pathToFileURL } from 'node:url'
import { describeThrown, MqbError, type Plugin } from '@mqb/core'
import { locatePlugin } from './locate.ts'

const loadLimitMs = 10_000

/** A plugin that somebody asked for. */
export interface PluginRequest {
  /** A file or a package name, as written. */
  readonly specifier: string
  /** Folder that a relative path counts from. */
  readonly from: string
  /** Who asked: `--plugin`, `plugins[0]`. */
  readonly where: string
}

/**
 * Imports the module and takes its default export.
 *
 * @throws {MqbError} kind `config`, `MQB_PLUGIN_LOAD`, naming the module. What the export is, is checked when it is registered.
 */
export async function loadPlugin({ specifier, from, where }: PluginRequest): Promise<Plugin> {
  const problem = (what: string, mend: string, cause?: unknown): MqbError =>
    new MqbError({ kind: 'config', code: 'MQB_PLUGIN_LOAD', where, what, mend, cause })
  let path: string | undefined
  try {
    path = locatePlugin(specifier, from)
  } catch (error) {
    throw problem(
      `the plugin ${specifier} cannot be read: ${describeThrown(error)}`,
      'mend its package.json',
      error,
    )
  }
  if (path === undefined)
    throw problem(
      `there is no plugin ${specifier}`,
      /^[./]|^file:/.test(specifier)
        ? `it was looked for in ${from}`
        : `install it: npm install ${specifier}; a file begins with ./ or /`,
    )
  let module: { default?: unknown }
  try {
    module = (await loadedInTime(import(pathToFileURL(path).href))) as { default?: unknown }
  } catch (error) {
    throw problem(`the plugin ${path} cannot be loaded: ${describeThrown(error)}`, 'mend the module', error)
  }
  if (module.default === undefined)
    throw problem(
      `${path} has no default export`,
      'export what definePlugin() of @mqb/core returned as the default',
    )
  return module.default as Plugin
}

/** A module may wait for ever at its top level; the process would end without a word, for nothing else keeps it. */
async function loadedInTime<T>(loading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`it is not loaded after ${loadLimitMs / 1_000} s`)),
      loadLimitMs,
    )
  })
  try {
    return await Promise.race([loading, over])
  } finally {
    clearTimeout(timer)
  }
}
