import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type LoadedConfig, type LoadOptions, loadConfig } from '../../../src/config/index.ts'
import { testRegistry } from './plugins.ts'

/** A new folder with these files in it. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'mqb-config-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** Loads `config.yml` from a new folder with these files, in an empty environment. */
export function load(files: Readonly<Record<string, string>>, options: LoadOptions = {}): LoadedConfig {
  return loadConfig({ cwd: folderWith(files), env: {}, registry: testRegistry(), ...options })
}

export function errorsOf(config: LoadedConfig): string[] {
  return config.problems
    .filter(problem => problem.severity === 'error')
    .map(({ code, where, what, mend, file, line, column }) => {
      const place = file === undefined ? '' : ` (${file}:${line}:${column})`
      return `${code} ${where}${place}: ${what}; ${mend}`
    })
}

/** The parsed configuration of an endpoint of a route. */
export function configOf(
  config: LoadedConfig,
  route: string,
  side: 'input' | 'output',
): Record<string, unknown> {
  const found = config.routes.find(plan => plan.name === route)
  if (found === undefined) throw new Error(`no route ${route}: ${errorsOf(config).join('\n')}`)
  return found[side].config as Record<string, unknown>
}
