import type { Capabilities } from './contract/capabilities.ts'
import type { ContractVersion, EndpointDefinition, MiddlewareDefinition, Plugin } from './contract/plugin.ts'

/** The version of the contracts in this copy of core. */
export const contractVersion: ContractVersion = 1

/** Checks the shape of a plugin at compile time and stamps the contract version. Does nothing else. */
export function definePlugin(plugin: Omit<Plugin, 'contract'>): Plugin {
  return { ...plugin, contract: contractVersion }
}

/** Infers the configuration type from the schema. */
export function defineEndpoint<C>(definition: EndpointDefinition<C>): EndpointDefinition<C> {
  return definition
}

/** Infers the configuration type from the schema. */
export function defineMiddleware<C>(definition: MiddlewareDefinition<C>): MiddlewareDefinition<C> {
  return definition
}

/** Capabilities of an endpoint that promises nothing; spread it and say what differs. */
export const noCapabilities: Capabilities = Object.freeze({
  acks: false,
  commitOrder: 'any',
  replies: 'no',
  orderedPublish: 'no',
  position: null,
  stableId: false,
  keepsAll: true,
  pins: false,
  idempotent: 'no',
  needsPosition: false,
  maxPayloadBytes: null,
  lacks: Object.freeze([]),
  tls: false,
})
