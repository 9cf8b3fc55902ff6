import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workspaceRoot } from '../../../../tooling/workspace/packages.ts'
import { workspacePlugins } from '../../../../tooling/workspace/plugins.ts'
import { createRegistry, loadConfig, parseUri } from '../../src/config/index.ts'
import { folderWith } from './support/workspace.ts'

const guide = readFileSync(join(workspaceRoot, 'docs', 'configuration.md'), 'utf8')
const registry = createRegistry({ plugins: (await workspacePlugins()).map(({ plugin }) => plugin) })

describe('docs/configuration.md', () => {
  const blocks = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(match => match[1]!)

  it('shows configurations that are valid', () => {
    expect(blocks.length).toBeGreaterThan(3)
    for (const text of blocks) {
      const { problems } = loadConfig({ cwd: folderWith({ 'config.yml': text }), env: {}, registry })
      expect(problems, text).toEqual([])
    }
  })

  it('shows three forms of the same route', () => {
    const routes = blocks
      .slice(0, 3)
      .map(text => loadConfig({ text, cwd: folderWith({}), env: {}, registry }).routes[0])
    for (const route of routes) {
      expect(route?.options).toEqual(routes[0]?.options)
      expect([route?.input.target, route?.output.target]).toEqual([
        routes[0]?.input.target,
        routes[0]?.output.target,
      ])
    }
  })

  it('shows URIs that can be read', () => {
    const rows = guide
      .slice(guide.indexOf('| URI | Means |'))
      .split('\n')
      .filter(line => line.startsWith('| `'))
    const uris = rows.flatMap(row =>
      [...row.split(/(?<!\\)\|/)[1]!.matchAll(/`([^`]+)`/g)].map(match => match[1]!.replaceAll('\\|', '|')),
    )
    expect(uris.length).toBeGreaterThan(5)
    for (const uri of uris) {
      expect(
        () => parseUri(uri, { side: uri === '-' ? 'input' : 'output', registry, env: {} }),
        uri,
      ).not.toThrow()
    }
  })
})
