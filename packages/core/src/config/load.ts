import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ConfigProblem, EndpointPlan, RoutePlan } from '../plan/plan.ts'
import type { Registry } from '../registry/index.ts'
import { type AppSettings, appSettingsSchema, laterSettings } from './document/app-settings.ts'
import { readConsumers, readPublishers } from './document/consumers.ts'
import { parseDotenv } from './document/dotenv.ts'
import { applyEnvironment } from './document/env-overrides.ts'
import { expandPlaceholders } from './document/placeholders.ts'
import { type ReadContext, readConfigFile, readConfigText } from './document/read-file.ts'
import { reportDuplicateRoute } from './document/shapes.ts'
import { addPlaces, type Environment, nestedPlanner, type PlanContext } from './plan/context.ts'
import { planEndpointAt } from './plan/endpoint.ts'
import { prepareRoute } from './plan/prepare.ts'
import { planRouteAt } from './plan/route.ts'
import { Findings, sortProblems } from './problems.ts'
import { parseAt } from './schema/parse.ts'
import { mergeOver } from './tree/copy.ts'
import { Cursor } from './tree/cursor.ts'
import { Origins } from './tree/origins.ts'

export interface LoadOptions {
  /** Main file. Default: `CONFIG_FILE`, else `config.yml` if there is one. `.json` is JSON, anything else YAML. */
  readonly file?: string
  /** Template that is read while the main file does not exist. Default: `INIT_CONFIG_FILE`. */
  readonly initFile?: string
  /** The same as text; the file wins. Default: `INIT_CONFIG_STRING`. */
  readonly initText?: string
  /** YAML or JSON that is laid over the file. Default: `CONFIG_STRING`. */
  readonly text?: string
  /** Default: `process.env`. `.env` in the working directory adds what is not set. */
  readonly env?: Environment
  readonly cwd?: string
}

/** A configuration that is read and put together, before anything in it is checked against plugins. */
export interface ConfigSource {
  /** Plugins to load: package names, or absolute paths. */
  readonly plugins: readonly string[]
  /** The variables in use, those of `.env` included. */
  readonly env: Environment
  readonly parts: SourceParts
}

interface SourceParts {
  readonly root: Cursor
  readonly context: ReadContext
  readonly secrets: readonly string[]
  readonly cwd: string
}

export interface LoadedConfig {
  readonly settings: AppSettings
  /** Those without an error in them; also the disabled ones. */
  readonly routes: readonly RoutePlan[]
  /** Named outputs. */
  readonly publishers: ReadonlyMap<string, EndpointPlan<'output'>>
  /** Errors and warnings, in the order of the files. With an error among them nothing should be started. */
  readonly problems: readonly ConfigProblem[]
  /** Values that must not appear in any text. */
  readonly secrets: readonly string[]
  readonly env: Environment
  /** Names of the files that were read, in the order in which they were laid over one another. */
  readonly files: readonly string[]
}

/**
 * Reads the configuration, lays its sources over one another and checks everything in it. Connects to nothing.
 *
 * Later sources win: defaults, init template (only while the main file does not exist), main file, override text,
 * `MQB__…` variables.
 */
export function loadConfig(options: LoadOptions & { readonly registry: Registry }): LoadedConfig {
  return planConfig(readConfig(options), options.registry)
}

/** The first half of `loadConfig`: for those who have to load the plugins that the configuration names. */
export function readConfig(options: LoadOptions = {}): ConfigSource {
  const cwd = options.cwd ?? process.cwd()
  const findings = new Findings()
  const env = withDotenv(options.env ?? process.env, cwd, findings)
  const context: ReadContext = { cwd, env, origins: new Origins(), findings, files: [] }
  const root = readMain(options, context)
  const text = options.text ?? env.CONFIG_STRING
  if (text !== undefined && text !== '') {
    mergeOver(
      root,
      readConfigText(text, options.text === undefined ? 'CONFIG_STRING' : '--config-str', context),
      context.origins,
    )
  }
  const envVars = readEnvVars(root.child('env_vars'), context)
  const secrets = [...entriesByName(root)].flatMap(entry =>
    expandPlaceholders(entry, { env, envVars }, findings),
  )
  return { plugins: readPlugins(root.child('plugins'), cwd), env, parts: { root, context, secrets, cwd } }
}

/** Everything in a configuration; routes are called by their name alone. */
function* entriesByName(root: Cursor): Iterable<Cursor> {
  for (const entry of root.children()) {
    if (entry.path[0] !== 'routes') yield entry
    else for (const route of entry.children()) yield route.named([route.path.at(-1)!])
  }
}

function withDotenv(env: Environment, cwd: string, findings: Findings): Environment {
  const path = join(cwd, '.env')
  if (!existsSync(path)) return env
  const { values, badLines } = parseDotenv(readFileSync(path, 'utf8'))
  for (const line of badLines) {
    findings.warning(Cursor.atPlace({ file: '.env', line, column: 1 }), {
      code: 'MQB_CONFIG_DOTENV',
      what: 'this line of .env is not of the form NAME=value and was left out',
      mend: 'correct it, or begin it with # to make it a comment',
    })
  }
  return { ...values, ...env }
}

function readMain(options: LoadOptions, context: ReadContext): Cursor {
  const { cwd, env, findings } = context
  const named = options.file ?? (env.CONFIG_FILE || undefined)
  const file = named ?? 'config.yml'
  if (existsSync(resolve(cwd, file))) return readConfigFile(file, context)
  const initFile = options.initFile ?? (env.INIT_CONFIG_FILE || undefined)
  const initText = options.initText ?? (env.INIT_CONFIG_STRING || undefined)
  if (initFile !== undefined && existsSync(resolve(cwd, initFile))) return readConfigFile(initFile, context)
  if (initFile !== undefined) {
    findings.warning(Cursor.root(undefined, { origin: { label: initFile } }), {
      code: 'MQB_CONFIG_FILE',
      what: 'there is no such template for the configuration',
      mend: 'check the path given by --init-config or INIT_CONFIG_FILE',
    })
  }
  if (initText !== undefined) {
    const name = options.initText === undefined ? 'INIT_CONFIG_STRING' : '--init-config-str'
    return readConfigText(initText, name, context)
  }
  const hasOther = initFile !== undefined || (options.text ?? env.CONFIG_STRING ?? '') !== ''
  if (named !== undefined && !hasOther) {
    findings.error(Cursor.root(undefined, { origin: { label: named } }), {
      code: 'MQB_CONFIG_FILE',
      what: 'there is no such configuration file',
      mend: options.file === undefined ? 'check the path in CONFIG_FILE' : 'check the path given by --config',
    })
  }
  return readConfigText('', file, context)
}

function readEnvVars(cursor: Cursor, context: ReadContext): Environment {
  expandPlaceholders(cursor, { env: context.env, envVars: {} }, context.findings)
  const values: Record<string, string> = {}
  for (const entry of cursor.children()) {
    const { value, origin } = entry
    if (typeof value === 'string') values[String(entry.path.at(-1))] = value
    else if (typeof value === 'number' || typeof value === 'boolean') {
      values[String(entry.path.at(-1))] = origin.text ?? String(value)
    }
  }
  return values
}

/** Paths of plugins are relative to the file that they stand in. */
function readPlugins(list: Cursor, cwd: string): string[] {
  if (!Array.isArray(list.value)) return []
  return [...list.children()].flatMap(entry => {
    const { value } = entry
    if (typeof value !== 'string' || value === '' || entry.origin.reported === true) return []
    if (!value.startsWith('.')) return [value]
    return [resolve(cwd, dirname(entry.place()?.file ?? ''), value)]
  })
}

/** The second half of `loadConfig`: environment overrides, settings and every route, checked against the plugins. */
export function planConfig(source: ConfigSource, registry: Registry): LoadedConfig {
  const { root, context, secrets } = source.parts
  const { origins, files } = context
  const findings = new Findings()
  findings.takeFrom(context.findings)
  applyEnvironment(root, source.env, registry, origins, findings)
  const publisherCursors = readPublishers(root, findings)
  const plan: PlanContext = {
    registry,
    env: source.env,
    route: '',
    publishers: publisherCursors,
    findings,
    refs: [],
    depth: 0,
    concurrency: Number.POSITIVE_INFINITY,
    places: new WeakMap(),
    secrets: new Set(secrets),
  }
  const settings = planSettings(root, plan)
  const publishers = planPublishers(publisherCursors, plan)
  const routes = planRoutes(root, plan, origins)
  return {
    settings,
    routes,
    publishers,
    problems: findings.problems(files, plan.secrets),
    secrets: [...plan.secrets],
    env: source.env,
    files,
  }
}

/**
 * Everything that can be said about a loaded configuration without connecting: what `loadConfig` found, and what the
 * endpoints and middlewares of all routes find when they look at files and the like.
 */
export async function checkConfig(config: LoadedConfig): Promise<ConfigProblem[]> {
  const prepared = await Promise.all(config.routes.map(route => prepareRoute(route)))
  return sortProblems([...config.problems, ...prepared.flat()], config.files)
}

function planSettings(root: Cursor, context: PlanContext): AppSettings {
  const settings: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(appSettingsSchema.shape)) {
    const cursor = root.child(name)
    if (cursor.origin.reported === true) continue
    if (cursor.value === null) cursor.value = undefined
    const parsed = parseAt(schema, cursor, nestedPlanner(cursor, context, planEndpointAt), context.findings)
    if (parsed !== undefined) settings[name] = parsed.value
    const later = laterSettings[name]
    if (later === undefined || parsed === undefined || !later.isSet(parsed.value)) continue
    const { severity, what, mend } = later
    context.findings[severity](cursor, { code: 'MQB_CONFIG_LATER', what, mend, atKey: true })
  }
  return { ...appSettingsSchema.parse({}), ...settings } as AppSettings
}

function planPublishers(
  cursors: ReadonlyMap<string, Cursor>,
  context: PlanContext,
): Map<string, EndpointPlan<'output'>> {
  const plans = new Map<string, EndpointPlan<'output'>>()
  for (const cursor of cursors.values()) addPlaces(context, cursor)
  for (const [key, cursor] of cursors) {
    const name = String(cursor.path.at(-1))
    // An entry can be called by its id as well; it is planned once.
    if (key !== name) continue
    const plan = planEndpointAt(cursor, 'output', { ...context, route: name, refs: [name] })
    if (plan !== undefined) plans.set(name, plan as EndpointPlan<'output'>)
  }
  return plans
}

function planRoutes(root: Cursor, context: PlanContext, origins: Origins): RoutePlan[] {
  const { findings } = context
  const entries = [...root.child('routes').children()].map(route => {
    const name = String(route.path.at(-1))
    return { name, route: route.named([name]) }
  })
  for (const consumer of readConsumers(root, origins, findings)) {
    if (entries.some(entry => entry.name === consumer.name))
      reportDuplicateRoute(consumer.name, consumer.route, findings)
    else entries.push(consumer)
  }
  const plans: RoutePlan[] = []
  for (const { name, route } of entries) {
    if (route.origin.reported === true) continue
    addPlaces(context, route)
    const plan = planRouteAt(route, name, context)
    if (plan !== undefined) plans.push(plan)
  }
  return plans
}
