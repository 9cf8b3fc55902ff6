import { configSchema as schemaOf } from '../../config/json-schema/config-schema.ts'
import type { EndpointConfig } from '../../plan/route-config.ts'
import { simpleEndpoint, simpleMiddleware } from '../simple/index.ts'
import type {
  SimpleEndpointFactory,
  SimpleEndpointOptions,
  SimpleMiddlewareFactory,
  SimpleOptions,
} from '../simple/types.ts'
import { defaultBridge } from './default-bridge.ts'

/**
 * Makes an endpoint type known to the default bridge: `{ name: {…} }` or `{ custom: { name, config } }`.
 *
 * @param factory called with the name of the route and the configuration, once per opening.
 * @throws {MqbError} `MQB_NAME_TAKEN`: the first one stays.
 */
export function registerEndpoint<C = unknown>(
  name: string,
  factory: SimpleEndpointFactory<C>,
  options?: SimpleEndpointOptions<C>,
): void {
  defaultBridge().registry.registerEndpoint(name, simpleEndpoint(name, factory, options))
}

/** Whether there was one. Routes that use it keep it. */
export function unregisterEndpoint(name: string): boolean {
  return defaultBridge().registry.unregisterEndpoint(name)
}

/** Makes a middleware type known to the default bridge. @throws {MqbError} `MQB_NAME_TAKEN`: the first one stays. */
export function registerMiddleware<C = unknown>(
  name: string,
  factory: SimpleMiddlewareFactory<C>,
  options?: SimpleOptions<C>,
): void {
  defaultBridge().registry.registerMiddleware(name, simpleMiddleware(name, factory, options))
}

/** Whether there was one. Routes that use it keep it. */
export function unregisterMiddleware(name: string): boolean {
  return defaultBridge().registry.unregisterMiddleware(name)
}

/** The configuration of an endpoint under a name, for `ref`. */
export function registerEndpointConfig(name: string, endpoint: EndpointConfig): void {
  defaultBridge().registry.registerEndpointConfig(name, endpoint)
}

export function unregisterEndpointConfig(name: string): boolean {
  return defaultBridge().registry.unregisterEndpointConfig(name)
}

/** The JSON Schema of a configuration with everything that the default bridge knows. */
export function configSchema(): Readonly<Record<string, unknown>> {
  return schemaOf(defaultBridge().registry)
}
