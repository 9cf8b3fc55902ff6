import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { filesOfTheTree } from '../../../../tooling/gates/tree.ts'
import { workspaceRoot } from '../../../../tooling/workspace/packages.ts'
import { workspacePlugins } from '../../../../tooling/workspace/plugins.ts'
import { configSchema, createRegistry, planRoute, type Registry } from '../../src/config/index.ts'
import type { Plugin } from '../../src/contract/index.ts'

interface Sample {
  readonly title: string
  readonly route: unknown
}

function samplesOf(plugin: Plugin): Sample[] {
  const input = { memory: { topic: 'sample' } }
  const samples: Sample[] = []
  for (const [name, { examples }] of Object.entries(plugin.endpoints ?? {})) {
    for (const { title, side, config } of examples) {
      const end = { [name]: config }
      samples.push({
        title: `${name}, ${side}: ${title}`,
        route: side === 'input' ? { input: end } : { input, output: end },
      })
    }
  }
  for (const [name, { examples }] of Object.entries(plugin.middlewares ?? {})) {
    for (const { title, side, config } of examples) {
      const end = { memory: { topic: 'other' }, middlewares: [{ [name]: config }] }
      samples.push({
        title: `${name}, ${side}: ${title}`,
        route: side === 'input' ? { input: end } : { input, output: end },
      })
    }
  }
  return samples
}

describe('the plugins of this workspace', () => {
  let registry: Registry
  let plugins: Plugin[]

  beforeAll(async () => {
    plugins = (await workspacePlugins()).map(({ plugin }) => plugin)
    registry = createRegistry({ plugins })
  })

  it('are found', () => {
    expect(plugins.map(plugin => plugin.name)).toEqual(
      expect.arrayContaining(['@mqb/file', '@mqb/memory', '@mqb/retry']),
    )
  })

  it('have examples that validate against the JSON Schema', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { structural_endpoint: true } })
    const validate = ajv.compile(configSchema(registry))
    for (const { title, route } of plugins.flatMap(samplesOf)) {
      const found = validate({ routes: { sample: route } }) ? [] : validate.errors
      expect(found, title).toEqual([])
    }
  })

  it('accept by their JSON Schema every configuration file of the repository', () => {
    const files = filesOfTheTree().filter(path => /(^|\/)(examples|demo)\/.*\.ya?ml$/.test(path))
    expect(files.length).toBeGreaterThan(15)
    const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { structural_endpoint: true } })
    const validate = ajv.compile(configSchema(registry))
    for (const file of files) {
      const found = validate(parse(readFileSync(join(workspaceRoot, file), 'utf8'))) ? [] : validate.errors
      expect(found, file).toEqual([])
    }
  })

  it('have examples that can be planned', () => {
    for (const { title, route } of plugins.flatMap(samplesOf)) {
      // An output that answers needs an input with somebody who waits: what it says otherwise is not tested here.
      const refused = /NO_CALLER/
      try {
        planRoute(route, 'sample', registry, { env: { HOME: '/', KEY: 'x' } })
      } catch (error) {
        if (!refused.test(String(error))) throw new Error(`${title}: ${String(error)}`)
      }
    }
  })

  it('describe every field', () => {
    const definitions = configSchema(registry).$defs as Record<
      string,
      { properties?: Record<string, { description?: string }> }
    >
    const bare = Object.entries(definitions).flatMap(([name, { properties = {} }]) =>
      /^(endpoint|middleware)\./.test(name)
        ? Object.entries(properties)
            .filter(([, field]) => field.description === undefined)
            .map(([field]) => `${name}.${field}`)
        : [],
    )
    expect(bare).toEqual([])
  })
})
