import type { Findings } from '../problems.ts'
import { routeKeys } from '../route-options.ts'
import { describeValue } from '../schema/describe.ts'
import { suggest, suggestionText } from '../suggest.ts'
import { Cursor } from '../tree/cursor.ts'
import { isMap, type Origins, writeEntry } from '../tree/origins.ts'
import { appSettingsSchema } from './app-settings.ts'

/** Keys that a configuration may have beside top-level routes. */
export const appKeys: readonly string[] = [
  ...Object.keys(appSettingsSchema.shape),
  'routes',
  'consumers',
  'publishers',
]

const aliases: Readonly<Record<string, string>> = { envVars: 'env_vars' }

/** The name of a route that stands alone in its file. */
const bareRouteName = 'route'

/**
 * Brings every accepted shape of a file into one: `{ routes: {…}, …settings }`. A file is a full configuration, a map of
 * routes, one bare route, or any of these under the single key `config`.
 */
export function canonicalise(document: Cursor, origins: Origins, findings: Findings): Cursor {
  const root = unwrapExport(document, findings)
  const canonical = new Canonical(origins, findings)
  if (root === undefined) return canonical.cursor
  if (!isMap(root.value)) {
    findings.error(root, {
      code: 'MQB_CONFIG_INVALID',
      what: `expected a map with routes, got ${describeValue(root.value, false)}`,
      mend: 'write one, for example: routes: { orders: { input: …, output: … } }',
    })
    return canonical.cursor
  }
  const isBareRoute = Object.hasOwn(root.value, 'input')
  for (const entry of root.children()) {
    const key = entry.path[0] as string
    const name = aliases[key] ?? key
    if (appKeys.includes(name)) canonical.addSetting(name, entry)
    else if (isBareRoute) canonical.addToBareRoute(key, entry)
    else if (looksLikeRoute(entry.value)) canonical.addRoute(key, entry)
    else reportUnknown(key, entry, findings)
  }
  return canonical.cursor
}

function unwrapExport(document: Cursor, findings: Findings): Cursor | undefined {
  const { value } = document
  if (value === undefined || value === null) return undefined
  if (!isMap(value) || !Object.hasOwn(value, 'config')) return document
  const keys = Object.keys(value)
  if (keys.length === 1) return document.child('config').named([])
  if (looksLikeRoute(value.config)) return document
  findings.error(document.child('config'), {
    code: 'MQB_CONFIG_AMBIGUOUS',
    what: `"config" holds a whole configuration, but stands beside other keys: ${keys.filter(key => key !== 'config').join(', ')}`,
    mend: 'move what is in it one level up, or the other keys into it',
    atKey: true,
  })
  return undefined
}

/** A map with a key that only routes have; also where `input` itself is misspelt. */
function looksLikeRoute(value: unknown): boolean {
  if (!isMap(value)) return false
  const keys = Object.keys(value)
  return keys.includes('input') || (keys.includes('output') && keys.every(key => !appKeys.includes(key)))
}

class Canonical {
  readonly cursor: Cursor
  readonly #origins: Origins
  readonly #findings: Findings
  readonly #root: Record<string, unknown> = {}

  constructor(origins: Origins, findings: Findings) {
    this.#origins = origins
    this.#findings = findings
    this.cursor = Cursor.root(this.#root, { origins })
  }

  addSetting(name: string, entry: Cursor): void {
    if (name === 'routes') {
      this.#addRoutes(entry)
      return
    }
    if (Object.hasOwn(this.#root, name)) {
      this.#findings.error(entry, {
        code: 'MQB_CONFIG_DUPLICATE_KEY',
        what: `${name} is set twice, in two spellings`,
        mend: 'keep one of them',
        atKey: true,
      })
      return
    }
    this.#put(this.#root, name, entry)
  }

  #addRoutes(entry: Cursor): void {
    if (entry.value === null || entry.value === undefined) return
    if (!isMap(entry.value)) {
      this.#findings.error(entry, {
        code: 'MQB_CONFIG_INVALID',
        what: `expected a map of routes by name, got ${describeValue(entry.value, false)}`,
        mend: Array.isArray(entry.value)
          ? 'give each route a name: routes: { orders: { input: …, output: … } }'
          : 'write one, for example: routes: { orders: { input: …, output: … } }',
      })
      return
    }
    for (const route of entry.children()) this.addRoute(route.path.at(-1) as string, route)
  }

  addRoute(name: string, entry: Cursor): void {
    const routes = this.#map(this.#root, 'routes')
    if (Object.hasOwn(routes, name)) {
      reportDuplicateRoute(name, entry, this.#findings)
      return
    }
    this.#put(routes, name, entry)
  }

  addToBareRoute(key: string, entry: Cursor): void {
    if (!routeKeys.includes(key)) {
      this.#findings.error(entry, {
        code: 'MQB_CONFIG_UNKNOWN_KEY',
        what: `the key ${JSON.stringify(key)} is neither an option of a route nor a setting of the app`,
        mend: bareRouteMend(key),
        atKey: true,
      })
      return
    }
    this.#put(this.#map(this.#map(this.#root, 'routes'), bareRouteName), key, entry)
  }

  #map(container: Record<string, unknown>, key: string): Record<string, unknown> {
    const found = container[key]
    if (isMap(found)) return found
    const map: Record<string, unknown> = {}
    writeEntry(container, key, map)
    return map
  }

  #put(container: Record<string, unknown>, key: string, entry: Cursor): void {
    writeEntry(container, key, entry.value)
    this.#origins.set(container, key, entry.origin)
  }
}

function bareRouteMend(key: string): string {
  if (key === 'middlewares') return 'middlewares belong to an endpoint: move the list into input or output'
  const text = suggestionText(key, [...routeKeys, ...appKeys])
  return text.startsWith('did you mean')
    ? text
    : `remove it; options of a route: ${routeKeys.slice(2).join(', ')}`
}

export function reportDuplicateRoute(name: string, entry: Cursor, findings: Findings): void {
  findings.error(entry, {
    code: 'MQB_CONFIG_DUPLICATE_ROUTE',
    what: `there are two routes named ${JSON.stringify(name)}`,
    mend: 'rename or remove one of them',
    atKey: true,
  })
}

function reportUnknown(key: string, entry: Cursor, findings: Findings): void {
  if (entry.origin.reported === true) return
  const meant = suggest(key, appKeys)
  let mend = `remove it; a route needs "input", and the settings are ${appKeys.join(', ')}`
  if (meant !== undefined) mend = `did you mean ${JSON.stringify(meant)}?`
  else if (isMap(entry.value) && suggest('input', Object.keys(entry.value)) !== undefined) {
    mend = `if it is a route, write "input" for ${JSON.stringify(suggest('input', Object.keys(entry.value)))}`
  } else if (isMap(entry.value)) mend = 'if it is a route, give it an "input"; otherwise remove it'
  findings.error(entry, {
    code: 'MQB_CONFIG_UNKNOWN_KEY',
    what: `the key ${JSON.stringify(key)} is not known at the top of a configuration`,
    mend,
    atKey: true,
  })
}
