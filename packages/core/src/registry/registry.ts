import type { Capabilities } from '../contract/capabilities.ts'
import type {
  EndpointDefinition,
  MiddlewareDefinition,
  Plugin,
  SchemeDefinition,
} from '../contract/plugin.ts'
import type { Publisher } from '../contract/publisher.ts'
import type { StoreProvider } from '../contract/store.ts'
import { type KnownPart, otherSpellings, type PartKind, packageOf } from './catalogue.ts'
import { checkName, checkPlugin } from './check-plugin.ts'
import { NameTable } from './names.ts'

/** A running publisher that routes may use by `ref`. Whoever registered it closes it. */
export interface NamedPublisher {
  readonly publisher: Publisher
  readonly capabilities: Capabilities
}

/** Everything that a bridge knows by name. Registration is explicit; nothing is shared between registries. */
export interface Registry {
  /**
   * Takes a whole plugin or nothing of it. The same object again changes nothing.
   *
   * @throws {MqbError} kind `config`: `MQB_PLUGIN_INVALID`, `MQB_PLUGIN_CONTRACT`, `MQB_NAME_TAKEN`.
   */
  register(plugin: Plugin): void
  readonly plugins: readonly Plugin[]
  /** Parts that exist somewhere, for errors that say what to install. */
  readonly known: readonly KnownPart[]

  /** An endpoint type of a plugin or one that was registered in code; also under another spelling (`sql`, `sqlx`). */
  endpoint(name: string): EndpointDefinition | undefined
  middleware(name: string): MiddlewareDefinition | undefined
  /** By URL scheme. */
  store(scheme: string): StoreProvider | undefined
  /** By URI scheme. */
  scheme(name: string): SchemeDefinition | undefined
  /** Names of what is registered. */
  names(kind: PartKind): readonly string[]
  /** The package that would bring a name which is not registered. */
  packageOf(kind: PartKind, name: string): string | undefined

  /** An endpoint type made in code: usable as a bare key and as `custom: {name, config}`. */
  registerEndpoint(name: string, definition: EndpointDefinition): void
  /** Returns whether it was registered in code; what a plugin brought stays. */
  unregisterEndpoint(name: string): boolean
  /** As `registerEndpoint`, for the lists of middlewares. */
  registerMiddleware(name: string, definition: MiddlewareDefinition): void
  unregisterMiddleware(name: string): boolean

  /** The configuration of an endpoint, for `ref`. */
  registerEndpointConfig(name: string, raw: unknown): void
  unregisterEndpointConfig(name: string): boolean
  /** `undefined` when there is none; a registered null comes back as `{ raw: null }`. */
  endpointConfig(name: string): { readonly raw: unknown } | undefined
  registerPublisher(name: string, publisher: NamedPublisher): void
  unregisterPublisher(name: string): boolean
  publisher(name: string): NamedPublisher | undefined
  /** What a `ref` can name. */
  refNames(): readonly string[]
}

export interface RegistryOptions {
  readonly plugins?: readonly Plugin[]
  readonly known?: readonly KnownPart[]
}

const inCode = 'this program'

export function createRegistry(options: RegistryOptions = {}): Registry {
  const plugins: Plugin[] = []
  const known = options.known ?? []
  const endpoints = new NameTable<EndpointDefinition>('endpoint')
  const middlewares = new NameTable<MiddlewareDefinition>('middleware')
  const stores = new NameTable<StoreProvider>('store')
  const schemes = new NameTable<SchemeDefinition>('URI scheme')
  const endpointConfigs = new NameTable<{ readonly raw: unknown }>('endpoint')
  const publishers = new NameTable<NamedPublisher>('publisher')
  const tables = { endpoint: endpoints, middleware: middlewares, store: stores, scheme: schemes }

  function register(plugin: Plugin): void {
    checkPlugin(plugin)
    if (plugins.includes(plugin)) return
    const additions: [NameTable<never>, string, unknown][] = [
      ...entries(endpoints, plugin.endpoints),
      ...entries(middlewares, plugin.middlewares),
      ...entries(stores, plugin.stores),
      ...entries(schemes, plugin.schemes),
    ]
    for (const [table, name] of additions) table.assertFree(name, plugin.name)
    for (const [table, name, value] of additions) table.add(name, value as never, plugin.name)
    plugins.push(plugin)
  }

  for (const plugin of options.plugins ?? []) register(plugin)

  return {
    register,
    plugins,
    known,
    endpoint(name) {
      for (const spelling of [name, ...otherSpellings(name)]) {
        const found = endpoints.get(spelling)
        if (found !== undefined) return found
      }
      return undefined
    },
    middleware: name => middlewares.get(name),
    store: scheme => stores.get(scheme),
    scheme: name => schemes.get(name),
    names: kind => tables[kind].names(),
    packageOf: (kind, name) => packageOf(known, kind, name),
    registerEndpoint(name, definition) {
      checkName(inCode, 'endpoint', name)
      endpoints.add(name, definition, inCode)
    },
    unregisterEndpoint: name => endpoints.remove(name, inCode),
    registerMiddleware(name, definition) {
      checkName(inCode, 'middleware', name)
      middlewares.add(name, definition, inCode)
    },
    unregisterMiddleware: name => middlewares.remove(name, inCode),
    registerEndpointConfig: (name, raw) => endpointConfigs.add(name, { raw }, inCode),
    unregisterEndpointConfig: name => endpointConfigs.remove(name, inCode),
    endpointConfig: name => endpointConfigs.get(name),
    registerPublisher: (name, publisher) => publishers.add(name, publisher, inCode),
    unregisterPublisher: name => publishers.remove(name, inCode),
    publisher: name => publishers.get(name),
    refNames: () => [...new Set([...endpointConfigs.names(), ...publishers.names()])],
  }
}

function entries<T>(
  table: NameTable<T>,
  parts: Readonly<Record<string, T>> | undefined,
): [NameTable<never>, string, unknown][] {
  return Object.entries(parts ?? {}).map(([name, part]) => [table as NameTable<never>, name, part])
}
