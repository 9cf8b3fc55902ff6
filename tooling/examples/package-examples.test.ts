import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { mqb, startMqb } from '../../apps/cli/test/support/cli.ts'
import { publicPackages, workspaceRoot } from '../workspace/packages.ts'
import { isPluginDirectory } from '../workspace/plugins.ts'

const plugins = publicPackages().filter(each => isPluginDirectory(each.directory))
const examples = plugins.flatMap(each =>
  yamlFiles(join(each.folder, 'examples')).map(file => file.slice(workspaceRoot.length + 1)),
)

describe('examples of packages', () => {
  it.each(plugins.map(each => each.directory))('%s has one', directory => {
    expect(examples.filter(file => file.startsWith(`${directory}/`))).not.toEqual([])
  })

  it.each(examples)(
    '%s is valid',
    async file => {
      // Relative paths count from the folder in which the command runs.
      const path = join(workspaceRoot, file)
      const { code, stderr } = await mqb(['--config', path, 'validate'], { cwd: dirname(path) })
      expect(stderr).not.toMatch(/^MQB_/m)
      expect(code).toBe(0)
    },
    60_000,
  )

  it.each(examples)(
    '%s runs, and stops when it is told to',
    async file => {
      const folder = mkdtempSync(join(tmpdir(), 'mqb-example-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      cpSync(dirname(join(workspaceRoot, file)), folder, { recursive: true })
      const name = file.slice(file.lastIndexOf('/') + 1)
      const running = await startMqb(['--config', name, '--no-metrics'], { cwd: folder })
      if (endsByItself(join(folder, name))) await running.saying(/every route has come to its end/)
      else await running.saying(/route \S+ is ready/)
      running.kill('SIGTERM')
      const { code, stderr } = await running.done
      expect(stderr).not.toMatch(/\berror\b/i)
      expect(code).toBe(0)
    },
    60_000,
  )
})

/** Whether every route of a configuration has `exit_on_empty`. */
function endsByItself(file: string): boolean {
  const config = parse(readFileSync(file, 'utf8')) as { routes?: object }
  const routes = Object.values(config.routes ?? config) as { exit_on_empty?: boolean }[]
  return routes.every(route => route.exit_on_empty === true)
}

function yamlFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(file => /\.ya?ml$/.test(file))
    .map(file => join(folder, file))
}
