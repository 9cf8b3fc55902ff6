import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseText } from '../../config/document/parse-text.ts'
import { expandPlaceholders } from '../../config/document/placeholders.ts'
import { type ReadContext, readConfigFile } from '../../config/document/read-file.ts'
import { canonicalise } from '../../config/document/shapes.ts'
import { planConfig } from '../../config/load.ts'
import type { Environment } from '../../config/plan/context.ts'
import { planEndpoint, planRoute } from '../../config/plan/route.ts'
import { assertUsable, Findings } from '../../config/problems.ts'
import { suggest } from '../../config/suggest.ts'
import { copyTree } from '../../config/tree/copy.ts'
import { Cursor } from '../../config/tree/cursor.ts'
import { isMap, Origins } from '../../config/tree/origins.ts'
import type { Side } from '../../contract/capabilities.ts'
import { MqbError } from '../../errors/mqb-error.ts'
import { describeThrown } from '../../errors/normalize.ts'
import type { EndpointPlan, RoutePlan } from '../../plan/plan.ts'
import type { Registry } from '../../registry/index.ts'

/** Where a configuration comes from. */
export type DocumentSource = { readonly file: string } | { readonly text: string } | { readonly raw: unknown }

export interface DocumentSetting {
  readonly registry: Registry
  readonly env: Environment
  readonly cwd: string
}

/**
 * Picks one route of a document: of `{ routes }`, of a map of routes, or the one bare route that it is.
 *
 * @param name left out: the document is one route, which gets a name of its own.
 */
export function routeFrom(
  source: DocumentSource,
  name: string | undefined,
  setting: DocumentSetting,
): RoutePlan {
  const document = readDocument(source, setting)
  const isBare = name === undefined && isBareRoute(document.root.value)
  const ownName = `route-${randomUUID()}`
  if (isBare && 'raw' in source)
    return planRoute(document.root.value, ownName, setting.registry, { env: setting.env })
  const { routes } = planAll(document, source, setting)
  const route = pick(new Map(routes.map(plan => [plan.name, plan])), name, 'route')
  return isBare ? { ...route, name: ownName } : route
}

/** Every route of a document. */
export function routesFrom(source: DocumentSource, setting: DocumentSetting): readonly RoutePlan[] {
  return planAll(readDocument(source, setting), source, setting).routes
}

/**
 * Picks one endpoint of a document: a publisher of that name or the matching end of a route, or the bare endpoint that
 * it is.
 */
export function endpointFrom<S extends Side>(
  source: DocumentSource,
  side: S,
  name: string | undefined,
  setting: DocumentSetting,
): EndpointPlan<S> {
  const document = readDocument(source, setting)
  if (name === undefined && !isDocument(document.root.value))
    return planEndpoint(document.root.value, side, setting.registry, { env: setting.env })
  const { routes, publishers } = planAll(document, source, setting)
  const found = new Map<string, EndpointPlan>(routes.map(plan => [plan.name, plan[side]]))
  if (side === 'output') for (const [key, plan] of publishers) found.set(key, plan)
  return pick(found, name, side) as EndpointPlan<S>
}

interface ReadDocument {
  readonly root: Cursor
  readonly context: ReadContext
}

function readDocument(source: DocumentSource, { env, cwd }: DocumentSetting): ReadDocument {
  const findings = new Findings()
  const context: ReadContext = { cwd, env, origins: new Origins(), findings, files: [] }
  if ('raw' in source) return { root: Cursor.root(copyTree(source.raw)), context }
  const file = 'file' in source ? source.file : 'configuration text'
  const text = 'file' in source ? readText(resolve(cwd, source.file), source.file) : source.text
  const format = /\.json$/i.test(file) ? 'json' : 'yaml'
  const root = parseText({ text, file, format }, context.origins, findings)
  expandPlaceholders(root, { env, envVars: {} }, findings)
  assertUsable(findings.problems())
  return { root, context }
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    throw new MqbError({
      kind: 'config',
      code: 'MQB_CONFIG_FILE',
      where: name,
      what: `the file cannot be read: ${describeThrown(thrown)}`,
      mend: 'check the path and its permissions',
      cause: thrown,
    })
  }
}

function planAll(
  { root, context }: ReadDocument,
  source: DocumentSource,
  { registry, env, cwd }: DocumentSetting,
) {
  // A file may include others, which are found from where it stands.
  const whole =
    'file' in source
      ? readConfigFile(source.file, context)
      : canonicalise(root, context.origins, context.findings)
  const secrets = 'file' in source ? expandPlaceholders(whole, { env, envVars: {} }, context.findings) : []
  const config = planConfig(
    { plugins: [], env: withoutOverrides(env), parts: { root: whole, context, secrets, cwd } },
    registry,
  )
  assertUsable(config.problems)
  return config
}

/** `MQB__…` variables are meant for the configuration of the command. */
function withoutOverrides(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('MQB__')))
}

function isBareRoute(value: unknown): boolean {
  return isMap(value) && Object.hasOwn(value, 'input')
}

/** Tells a document with names in it from a bare endpoint. */
function isDocument(value: unknown): boolean {
  if (!isMap(value)) return false
  if (['routes', 'publishers', 'consumers', 'config'].some(key => Object.hasOwn(value, key))) return true
  return isBareRoute(value) || Object.values(value).some(isBareRoute)
}

function pick<T>(found: ReadonlyMap<string, T>, name: string | undefined, what: string): T {
  const names = [...found.keys()]
  const only = names.length === 1 ? names[0] : undefined
  const value = found.get(name ?? only ?? '')
  if (value !== undefined) return value
  const near = name === undefined ? undefined : suggest(name, names)
  throw new MqbError({
    kind: 'config',
    code: 'MQB_DOCUMENT_NAME',
    what:
      name === undefined
        ? `the document has ${names.length} entries that could be meant as the ${what}`
        : `the document has no ${what} named ${JSON.stringify(name)}${near === undefined ? '' : `, did you mean ${near}?`}`,
    mend: names.length === 0 ? 'the document has none at all' : `name one of: ${names.join(', ')}`,
  })
}
