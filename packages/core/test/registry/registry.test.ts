import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Plugin } from '../../src/contract/index.ts'
import { defineEndpoint, definePlugin, noCapabilities } from '../../src/define.ts'
import { MqbError } from '../../src/errors/mqb-error.ts'
import { createRegistry } from '../../src/registry/index.ts'

const endpoint = defineEndpoint({
  summary: 'One.',
  config: z.strictObject({}),
  examples: [],
  describe: () => 'one',
  capabilities: () => noCapabilities,
  openPublisher: async () => {
    throw new Error('not opened')
  },
})

function refusal(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (MqbError.is(error)) return error.message
    throw error
  }
  return 'accepted'
}

describe('createRegistry', () => {
  it('finds what was registered, and nothing else', () => {
    const registry = createRegistry()
    expect(registry.endpoint('one')).toBeUndefined()
    registry.register(
      definePlugin({ name: 'a', endpoints: { one: endpoint }, schemes: { one: { endpoint: 'one' } } }),
    )
    expect(registry.endpoint('one')).toBe(endpoint)
    expect(registry.scheme('one')).toEqual({ endpoint: 'one' })
    expect(registry.names('endpoint')).toEqual(['one'])
    expect(createRegistry().names('endpoint')).toEqual([])
  })

  it('finds an endpoint under its other spelling', () => {
    const registry = createRegistry({ plugins: [definePlugin({ name: 'a', endpoints: { sqlx: endpoint } })] })
    expect(registry.endpoint('sql')).toBe(endpoint)
    expect(
      createRegistry({ known: [{ kind: 'endpoint', name: 'sqlx', package: '@mqb/sql' }] }).packageOf(
        'endpoint',
        'sql',
      ),
    ).toBe('@mqb/sql')
  })

  it('takes the same plugin twice without a word', () => {
    const plugin = definePlugin({ name: 'a', endpoints: { one: endpoint } })
    const registry = createRegistry({ plugins: [plugin, plugin] })
    expect(registry.plugins).toEqual([plugin])
  })

  it('refuses a name that is taken, naming both, and takes nothing of the plugin', () => {
    const registry = createRegistry({
      plugins: [definePlugin({ name: '@mqb/a', endpoints: { one: endpoint } })],
    })
    const second = definePlugin({ name: '@mqb/b', endpoints: { two: endpoint, one: endpoint } })
    expect(refusal(() => registry.register(second))).toMatchInlineSnapshot(
      `"MQB_NAME_TAKEN @mqb/b: the endpoint name one is taken by @mqb/a (register only one of them, or rename one)"`,
    )
    expect(registry.endpoint('two')).toBeUndefined()
    expect(refusal(() => registry.registerEndpoint('one', endpoint))).toMatchInlineSnapshot(
      `"MQB_NAME_TAKEN this program: the endpoint name one is taken by @mqb/a (register only one of them, or rename one)"`,
    )
  })

  it('refuses a plugin after a name of it was registered in code', () => {
    const registry = createRegistry()
    registry.registerEndpoint('one', endpoint)
    expect(
      refusal(() => registry.register(definePlugin({ name: '@mqb/a', endpoints: { one: endpoint } }))),
    ).toContain('MQB_NAME_TAKEN')
  })

  it.each<[string, unknown]>([
    ['another contract version', { name: '@mqb/a', contract: 2 }],
    ['no contract version', { name: '@mqb/a' }],
    ['no name', {}],
    ['something else', undefined],
    [
      'an endpoint without sides',
      definePlugin({
        name: '@mqb/a',
        endpoints: { one: { ...endpoint, openPublisher: undefined as never } },
      }),
    ],
    ['a name that no key can have', definePlugin({ name: '@mqb/a', endpoints: { 'a b': endpoint } })],
    ['a name of the grammar', definePlugin({ name: '@mqb/a', endpoints: { middlewares: endpoint } })],
    ['a list for a map', { ...definePlugin({ name: '@mqb/a' }), endpoints: [] }],
  ])('refuses %s', (_, plugin) => {
    expect(refusal(() => createRegistry().register(plugin as Plugin))).toMatchSnapshot()
  })

  it('leaves what a plugin brought to the plugin', () => {
    const registry = createRegistry({
      plugins: [definePlugin({ name: '@mqb/a', endpoints: { one: endpoint } })],
    })
    expect(registry.unregisterEndpoint('one')).toBe(false)
    expect(registry.endpoint('one')).toBe(endpoint)
  })

  it('keeps names of this program, which it can give back', () => {
    const registry = createRegistry()
    registry.registerEndpoint('own', endpoint)
    registry.registerEndpointConfig('shared', null)
    expect(registry.endpoint('own')).toBe(endpoint)
    expect(registry.endpointConfig('shared')).toEqual({ raw: null })
    expect(registry.refNames()).toEqual(['shared'])
    expect(registry.unregisterEndpoint('own')).toBe(true)
    expect(registry.unregisterEndpoint('own')).toBe(false)
    expect(registry.endpoint('own')).toBeUndefined()
  })
})
