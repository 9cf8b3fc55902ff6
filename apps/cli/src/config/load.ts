import { type ConfigProblem, describeThrown, MqbError } from '@mqb/core'
import {
  type ConfigSource,
  checkConfig,
  createRegistry,
  type LoadedConfig,
  planConfig,
  type Registry,
  readConfig,
} from '@mqb/core/config'
import type { ConfigOptions, GlobalOptions } from '../arguments/invocation.ts'
import { knownParts } from '../catalogue.generated.ts'
import { logLevels } from '../log/setup.ts'
import { loadBundledPlugins, type Names, namesIn } from '../plugins/bundled.ts'
import { loadPlugin, type PluginRequest } from '../plugins/load.ts'
import type { Host } from '../process/host.ts'
import { laterVariables } from './later-variables.ts'

/** A configuration that was read and checked, and what is wrong with it. */
export interface CheckedConfig extends LoadedConfig {
  readonly registry: Registry
  /** Warnings that no route will log when it starts: those about settings, and about routes that are disabled. */
  readonly otherWarnings: readonly ConfigProblem[]
}

/**
 * Reads a configuration, loads its plugins and checks everything, also what lies outside of it. Connects to nothing
 * and throws nothing: what is wrong is in `problems`.
 */
export async function loadChecked(
  options: ConfigOptions & GlobalOptions,
  host: Host,
): Promise<CheckedConfig> {
  const checked = await check(options, host, 'named')
  // What is wrong may be a name that only a plugin which was left out could explain, or suggest.
  return hasErrors(checked.problems) ? check(options, host, 'all') : checked
}

async function check(
  options: ConfigOptions & GlobalOptions,
  host: Host,
  which: 'named' | 'all',
): Promise<CheckedConfig> {
  const source = readConfig({
    env: host.environment,
    cwd: host.workingFolder,
    ...(options.config === undefined ? {} : { file: options.config }),
    ...(options.initConfig === undefined ? {} : { initFile: options.initConfig }),
    ...(options.initConfigText === undefined ? {} : { initText: options.initConfigText }),
    ...(options.configText === undefined ? {} : { text: options.configText }),
  })
  const requests = [...requestsOf(options, host), ...configuredPlugins(source, host)]
  const names = which === 'all' ? undefined : namesIn([JSON.stringify(source.parts.root.value) ?? ''])
  const { registry, problems } = await registerPlugins(requests, names)
  const loaded = planConfig(source, registry)
  for (const value of loaded.secrets) host.secrets.add(value)
  const variables = laterVariables(loaded.env)
  const levels = logLevels({
    environment: loaded.env,
    level: loaded.settings.log_level,
    fallback: 'info',
  })
  return {
    ...loaded,
    registry,
    problems: [...problems, ...(await checkConfig(loaded)), ...levels.problems, ...variables],
    otherWarnings: [...otherWarnings(loaded), ...variables],
  }
}

/** The plugins of the command line. */
export function requestsOf({ plugins }: GlobalOptions, host: Host): PluginRequest[] {
  return plugins.map(specifier => ({ specifier, from: host.workingFolder, where: '--plugin' }))
}

function configuredPlugins({ plugins }: ConfigSource, host: Host): PluginRequest[] {
  return plugins.map((specifier, index) => ({
    specifier,
    from: host.workingFolder,
    where: `plugins[${index}]`,
  }))
}

/**
 * A registry with what comes with the command, and the plugins that were asked for.
 *
 * @param names which parts are needed of what comes with the command; all of them when left out. Where somebody brings
 *   plugins everything is loaded, so that a name which is taken is always refused.
 */
export async function registerPlugins(
  requests: readonly PluginRequest[],
  names?: Names,
): Promise<{ registry: Registry; problems: readonly ConfigProblem[] }> {
  const [bundled, ...wanted] = await Promise.all([
    loadBundledPlugins(requests.length === 0 ? names : undefined),
    ...requests.map(request => settled(loadPlugin(request))),
  ])
  const registry = createRegistry({ plugins: bundled, known: knownParts })
  const problems: ConfigProblem[] = []
  for (const [index, loaded] of wanted.entries()) {
    const where = requests[index]?.where ?? ''
    try {
      if ('error' in loaded) throw loaded.error
      registry.register(loaded.value)
    } catch (error) {
      problems.push(problemOf(MqbError.is(error) ? error : brokenPlugin(error), where))
    }
  }
  return { registry, problems }
}

/** What a plugin does when it is looked at is not ours to know: an export may throw when it is read. */
function brokenPlugin(cause: unknown): MqbError {
  return new MqbError({
    kind: 'config',
    code: 'MQB_PLUGIN_INVALID',
    what: `the plugin cannot be registered: ${describeThrown(cause)}`,
    mend: 'mend the module, or report it to its makers',
    cause,
  })
}

function problemOf(error: MqbError, where: string): ConfigProblem {
  const { code, what, mend = '' } = error
  const about = error.where === undefined || error.where === where ? '' : `${error.where}: `
  return { severity: 'error', code, where, what: `${about}${what}`, mend }
}

function otherWarnings({ problems, routes }: LoadedConfig): ConfigProblem[] {
  const enabled = routes.filter(route => route.options.enabled)
  const logged = new Set(enabled.flatMap(route => route.warnings.map(identityOf)))
  return problems.filter(problem => problem.severity === 'warning' && !logged.has(identityOf(problem)))
}

const identityOf = ({ code, where, what }: ConfigProblem): string => [code, where, what].join('\n')

const settled = <T>(promise: Promise<T>): Promise<{ value: T } | { error: unknown }> =>
  promise.then(
    value => ({ value }),
    (error: unknown) => ({ error }),
  )

export const hasErrors = (problems: readonly ConfigProblem[]): boolean =>
  problems.some(problem => problem.severity === 'error')
