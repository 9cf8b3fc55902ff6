import { randomUUID } from 'node:crypto'
import { type ConfigProblem, MqbError, type RouteOptions, type RoutePlan } from '@mqb/core'
import {
  ConfigError,
  parseUri,
  passwordsInUrl,
  planRoute,
  prepareRoute,
  type Registry,
  routeSecrets,
  secretsInUri,
  walkPlans,
} from '@mqb/core/config'
import type { CopyOptions } from '../arguments/invocation.ts'
import type { Host } from '../process/host.ts'

const defaults = { concurrency: 4, batch_size: 1_024 } as const satisfies Partial<RouteOptions>

/** The route of a copy, or everything that is wrong with it. Opens nothing. */
export async function planCopy(
  options: CopyOptions,
  registry: Registry,
  host: Host,
): Promise<{ plan: RoutePlan } | { problems: readonly ConfigProblem[] }> {
  for (const uri of [options.source, options.target])
    for (const secret of [...passwordsInUrl(uri), ...secretsInUri(uri, host.environment)])
      host.secrets.add(secret)
  const problems: ConfigProblem[] = []
  const read = (uri: string, side: 'input' | 'output'): unknown =>
    collect(problems, () => parseUri(uri, { side, registry, env: host.environment, cwd: host.workingFolder }))
  const source = read(options.source, 'input')
  const input = options.filter === undefined ? source : filtered(source, options.filter)
  const output = read(options.target, 'output')
  if (problems.length > 0) return { problems }
  const raw = {
    input,
    output,
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    ...(options.batchSize === undefined ? {} : { batch_size: options.batchSize }),
  }
  // Problems are told under `copy.input…`; the name of the route is a new one in every run.
  const plan = collect(problems, () => planRoute(raw, 'copy', registry, { env: host.environment, defaults }))
  if (plan === undefined) return { problems: problems.map(problem => atFilter(problem, input, options)) }
  for (const secret of routeSecrets(plan)) host.secrets.add(secret)
  const prepared = await prepareRoute(plan, { drain: options.drain })
  return prepared.some(problem => problem.severity === 'error')
    ? { problems: prepared }
    : { plan: { ...plan, name: `copy-${randomUUID()}` } }
}

/** The last entry of an input sees a message first: the filter stands next to the source. */
function filtered(source: unknown, filter: string): unknown {
  const { middlewares = [], ...endpoint } = (source ?? {}) as { middlewares?: readonly unknown[] }
  return { ...endpoint, middlewares: [...middlewares, { filter }] }
}

/** What is wrong with the filter is told about the option that it came from. */
function atFilter(problem: ConfigProblem, input: unknown, { filter }: CopyOptions): ConfigProblem {
  const last = (input as { middlewares?: readonly unknown[] }).middlewares?.length ?? 0
  return filter !== undefined && problem.where === `copy.input.middlewares[${last - 1}].filter`
    ? { ...problem, where: '--filter' }
    : problem
}

/** Whether rows go to stdout, so that nothing else may. */
export function writesToStdout({ output }: RoutePlan): boolean {
  return [...walkPlans(output)].some(({ kind, target }) => kind === 'file' && target === 'file -')
}

function collect<T>(problems: ConfigProblem[], step: () => T): T | undefined {
  try {
    return step()
  } catch (error) {
    if (error instanceof ConfigError) problems.push(...error.problems)
    else if (MqbError.is(error) && error.kind === 'config') problems.push(problemOf(error))
    else throw error
    return undefined
  }
}

function problemOf({ code, where = '', what, mend = '' }: MqbError): ConfigProblem {
  return { severity: 'error', code, where, what, mend }
}
