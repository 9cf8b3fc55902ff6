import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, createRegistry, planRoute } from '@mqb/core/config'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { knownParts } from '../docs/catalogue.ts'
import { readModel } from '../docs/model.ts'
import { filesOfTheTree } from '../gates/tree.ts'
import { workspaceRoot } from '../workspace/packages.ts'

const model = await readModel()
const registry = createRegistry({
  plugins: model.packages.map(each => each.plugin),
  known: knownParts(model),
})
/** Pages may name variables; each has a value here. */
const env: Readonly<Record<string, string>> = new Proxy({}, { get: () => 'example' })

// Those of the reference pages are planned when the pages are written.
const blocks = filesOfTheTree()
  .filter(
    path =>
      path.endsWith('.md') && !path.startsWith('docs/reference/') && existsSync(join(workspaceRoot, path)),
  )
  .flatMap(path => yamlBlocks(path))
  .flatMap(({ at, text }) =>
    Object.entries(routesIn(text)).map(([name, route]) => [`${at}: ${name}`, { name, route }] as const),
  )

describe('routes in the pages', () => {
  it.each(blocks)('%s is valid', (_place, { name, route }) => {
    expect(problemsOf(name, route)).toEqual([])
  })
})

/** A page may show what comes with a package that does not exist yet, or what a program registers. */
const absent: ReadonlySet<string> = new Set(['MQB_CONFIG_NOT_INSTALLED', 'MQB_CONFIG_UNKNOWN_REF'])

/** The name in `custom: { name }`: a program registers it. */
const isOwnCode = (where: string) => where.endsWith('.custom.name')

function problemsOf(name: string, route: unknown): string[] {
  try {
    planRoute(route, name, registry, { env })
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems
      .filter(({ severity, code, where }) => severity === 'error' && !absent.has(code) && !isOwnCode(where))
      .map(({ where, what }) => `${where}: ${what}`)
  }
}

function yamlBlocks(path: string): { at: string; text: string }[] {
  const page = readFileSync(join(workspaceRoot, path), 'utf8')
  return [...page.matchAll(/^```ya?ml\n([\s\S]*?)^```/gm)].map(match => ({
    at: `${path}:${page.slice(0, match.index).split('\n').length}`,
    text: match[1] ?? '',
  }))
}

/** The routes of a block: a whole configuration, routes by name, or a part of one route. */
function routesIn(text: string): Record<string, unknown> {
  const content: unknown = parse(text)
  if (!isMap(content)) return {}
  if (isMap(content.routes)) return content.routes
  if ('input' in content || 'output' in content) return { route: completed(content) }
  const isRoutes = Object.values(content).every(each => isMap(each) && ('input' in each || 'output' in each))
  return isRoutes ? content : {}
}

/** A part of a route with the simplest other end; middlewares that are shown alone get the simplest endpoint. */
function completed(part: Record<string, unknown>): Record<string, unknown> {
  const { input = {}, output = null } = part
  const hasEndpoint = isMap(input) && Object.keys(input).some(key => key !== 'middlewares')
  return { ...part, input: hasEndpoint ? input : { static: 'x', ...(isMap(input) ? input : {}) }, output }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
