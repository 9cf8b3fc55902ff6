import { redactUrl } from '../../config/uri/redact.ts'
import type { Opening } from '../../contract/opening.ts'
import type { StoreKind, StoreOf, StoreProvider } from '../../contract/store.ts'
import { MqbError } from '../../errors/mqb-error.ts'
import type { Registry } from '../../registry/index.ts'
import type { OpenStore } from '../opening.ts'

/** A path without a scheme is a folder of the embedded store. */
const pathScheme = 'level'

/** Finds the provider of a store by the scheme of its URL. */
export function storeOpener(registry: Registry): OpenStore {
  return async <K extends StoreKind>(kind: K, url: string, opening: Opening): Promise<StoreOf<K>> => {
    const scheme = schemeOf(url)
    const provider = registry.store(scheme)
    if (provider === undefined) throw unknownScheme(scheme, kind, url, opening, registry)
    const open = provider[kind] as
      | ((this: StoreProvider, url: string, opening: Opening) => Promise<StoreOf<K>>)
      | undefined
    if (open === undefined)
      throw new MqbError({
        kind: 'config',
        code: 'MQB_STORE_KIND',
        where: opening.path,
        what: `${scheme} has no ${kind} store: ${redactUrl(url)}`,
        mend: `schemes that have one: ${schemesWith(kind, registry)}`,
      })
    return open.call(provider, url, opening)
  }
}

function schemeOf(url: string): string {
  const match = /^([a-z][a-z0-9+.-]+):/i.exec(url)
  return match?.[1]?.toLowerCase() ?? pathScheme
}

function schemesWith(kind: StoreKind, registry: Registry): string {
  const schemes = registry.names('store').filter(name => registry.store(name)?.[kind] !== undefined)
  return schemes.length === 0 ? 'none is registered' : schemes.join(', ')
}

function unknownScheme(
  scheme: string,
  kind: StoreKind,
  url: string,
  opening: Opening,
  registry: Registry,
): MqbError {
  const packageName = registry.packageOf('store', scheme)
  return new MqbError({
    kind: 'config',
    code: 'MQB_STORE_UNKNOWN',
    where: opening.path,
    what: `no store answers to the scheme ${scheme}: ${redactUrl(url)}`,
    mend:
      packageName === undefined
        ? `schemes with a ${kind} store: ${schemesWith(kind, registry)}`
        : `install ${packageName} and register it`,
  })
}
