import type { Plugin } from '../contract/plugin.ts'
import { contractVersion } from '../define.ts'
import { MqbError } from '../errors/mqb-error.ts'

const partLists = ['endpoints', 'middlewares', 'stores', 'schemes'] as const

/** Names that the configuration grammar itself uses. */
const reservedNames: ReadonlySet<string> = new Set(['middlewares', 'ref'])

/**
 * Checks what a caller wants to register, before anything of it is taken.
 *
 * @throws {MqbError} kind `config`: `MQB_PLUGIN_INVALID`, or `MQB_PLUGIN_CONTRACT` for another contract version.
 */
export function checkPlugin(value: unknown): asserts value is Plugin {
  if (!isRecord(value) || typeof value.name !== 'string' || value.name === '') {
    throw invalid(undefined, 'this is no plugin: it has no name', 'register what definePlugin() returned')
  }
  const { name } = value
  if (value.contract === undefined) {
    throw invalid(name, 'it carries no contract version', 'make it with definePlugin() of @mqb/core')
  }
  if (value.contract !== contractVersion) {
    throw new MqbError({
      kind: 'config',
      code: 'MQB_PLUGIN_CONTRACT',
      where: name,
      what: `the plugin was made for contract version ${String(value.contract)}, this core has version ${contractVersion}`,
      mend: `install versions of ${name} and @mqb/core that belong together: npm install ${name}@latest @mqb/core@latest`,
    })
  }
  for (const list of partLists) {
    const parts = value[list]
    if (parts !== undefined && !isRecord(parts)) throw invalid(name, `its ${list} are no map by name`)
    for (const [part, definition] of Object.entries(parts ?? {})) {
      if (!isRecord(definition)) throw invalid(name, `${list}.${part} is no definition`)
    }
  }
  checkEndpoints(name, value as unknown as Plugin)
  checkMiddlewares(name, value as unknown as Plugin)
}

function checkEndpoints(plugin: string, { endpoints }: Plugin): void {
  for (const [name, definition] of Object.entries(endpoints ?? {})) {
    checkName(plugin, 'endpoint', name)
    if (definition.openConsumer === undefined && definition.openPublisher === undefined) {
      throw invalid(
        plugin,
        `the endpoint ${name} serves no side`,
        'give it openConsumer, openPublisher or both',
      )
    }
    for (const member of ['describe', 'capabilities'] as const) {
      if (typeof definition[member] !== 'function')
        throw invalid(plugin, `the endpoint ${name} has no ${member}()`)
    }
    if (!isRecord(definition.config))
      throw invalid(plugin, `the endpoint ${name} has no configuration schema`)
  }
}

function checkMiddlewares(plugin: string, { middlewares }: Plugin): void {
  for (const [name, definition] of Object.entries(middlewares ?? {})) {
    checkName(plugin, 'middleware', name)
    if (definition.wrapConsumer === undefined && definition.wrapPublisher === undefined) {
      throw invalid(
        plugin,
        `the middleware ${name} serves no side`,
        'give it wrapConsumer, wrapPublisher or both',
      )
    }
    if (!isRecord(definition.config))
      throw invalid(plugin, `the middleware ${name} has no configuration schema`)
  }
}

/** Refuses names that could not be written as a key of the configuration. */
export function checkName(owner: string, kind: string, name: string): void {
  if (reservedNames.has(name)) {
    throw invalid(
      owner,
      `the ${kind} name ${name} is used by the configuration itself`,
      'choose another name',
    )
  }
  if (!/^[A-Za-z0-9_-]+$/.test(name)) {
    throw invalid(
      owner,
      `the ${kind} name ${JSON.stringify(name)} cannot be written as a key`,
      'use letters, digits, underscores and hyphens',
    )
  }
}

function invalid(where: string | undefined, what: string, mend?: string): MqbError {
  return new MqbError({
    kind: 'config',
    code: 'MQB_PLUGIN_INVALID',
    what,
    ...(where === undefined ? {} : { where }),
    ...(mend === undefined ? {} : { mend }),
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
