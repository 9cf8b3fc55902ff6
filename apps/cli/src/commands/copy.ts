import type { ConfigProblem, RoutePlan } from '@mqb/core'
import { formatReport, type Registry, redactUrl } from '@mqb/core/config'
import { type BridgeRoute, createBridge, type RouteResult, systemClock } from '@mqb/core/runtime'
import type { CopyOptions, GlobalOptions, Invocation } from '../arguments/invocation.ts'
import { laterVariables } from '../config/later-variables.ts'
import { hasErrors, registerPlugins, requestsOf } from '../config/load.ts'
import { conclude } from '../copy/conclude.ts'
import { planCopy, writesToStdout } from '../copy/plan.ts'
import { showProgress } from '../copy/progress.ts'
import { setUpLog } from '../log/setup.ts'
import { type Names, namesIn } from '../plugins/bundled.ts'
import { exitCode } from '../process/exit-code.ts'
import type { Host } from '../process/host.ts'
import { stopOnSignal } from '../run/stop.ts'

const stopMs = 5_000

/** One route from two URIs, from beginning to end. */
export async function copy(options: Extract<Invocation, { command: 'copy' }>, host: Host): Promise<number> {
  const { terminal, secrets, signals, environment } = host
  const planned = await prepareCopy(options, host)
  const { log, problems: logProblems } = setUpLog({
    terminal,
    secrets,
    environment,
    fallback: options.verbose ? 'info' : 'warn',
    // The reader of a pipe may go when it has seen enough; the copy then ends in order.
    withoutCode: 'MQB_STDOUT_CLOSED',
  })
  if ('problems' in planned || logProblems.length > 0) {
    const found = 'problems' in planned ? planned.problems : []
    terminal.err(secrets.scrub(formatReport([...found, ...logProblems])))
    return exitCode.invalid
  }

  for (const { what, mend, code } of laterVariables(environment)) log.warn(`${what}; ${mend}`, { code })
  const { plan, registry } = planned
  log.info(`copying from ${redactUrl(options.source)} to ${redactUrl(options.target)}`)
  const bridge = createBridge({ registry, log, secrets, env: environment })
  const [route] = bridge.load([plan])
  if (route === undefined) throw new Error('a bridge with one route has none')
  route.withOptions({
    drain: options.drain,
    failFast: options.drain,
    ...(options.waitMs === undefined ? {} : { waitMs: options.waitMs }),
    ...(options.limit === undefined ? {} : { limit: options.limit }),
  })
  const toStdout = writesToStdout(plan)
  if (toStdout) terminal.onStdoutEnd(() => signals.end('stdout takes nothing any more'))
  void stopOnSignal(host, bridge, log, stopMs)

  const hideProgress = showProgress(terminal, systemClock, () => route.status().counts.delivered)
  const result = await runToEnd(route)
  hideProgress()
  const { summary, problem, code } = conclude(result, toStdout && terminal.readerGone)
  if (problem !== undefined) terminal.err(secrets.scrub(`mqb: ${problem}`))
  if (summary !== undefined) (toStdout ? terminal.err : terminal.out)(summary)
  return signals.force.aborted ? exitCode.forced : code
}

async function prepareCopy(
  options: CopyOptions & GlobalOptions,
  host: Host,
): Promise<{ plan: RoutePlan; registry: Registry } | { problems: readonly ConfigProblem[] }> {
  const requests = requestsOf(options, host)
  const attempt = async (names?: Names) => {
    const { registry, problems } = await registerPlugins(requests, names)
    return hasErrors(problems) ? { problems } : { ...(await planCopy(options, registry, host)), registry }
  }
  const planned = await attempt(
    namesIn([options.source, options.target, ...(options.filter === undefined ? [] : ['filter'])]),
  )
  // What is wrong may be a name that only a plugin which was left out could explain, or suggest.
  return 'problems' in planned ? attempt() : planned
}

/** A route that is not ready in time goes on trying: a copy has no reason to give up before its user does. */
async function runToEnd(route: BridgeRoute): Promise<RouteResult> {
  await route.start().catch(() => {})
  return route.ended()
}
