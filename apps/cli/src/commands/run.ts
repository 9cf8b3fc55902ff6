import type { Logger } from '@mqb/core'
import { formatReport } from '@mqb/core/config'
import { type Bridge, type BridgeRoute, createBridge, type StartReport } from '@mqb/core/runtime'
import type { Invocation } from '../arguments/invocation.ts'
import { type CheckedConfig, hasErrors, loadChecked } from '../config/load.ts'
import { setUpLog } from '../log/setup.ts'
import { type ListenAddress, parseListenAddress } from '../metrics/address.ts'
import { exitCode } from '../process/exit-code.ts'
import type { Host } from '../process/host.ts'
import { reportWhenAllEnded } from '../run/routes-ended.ts'
import { stopOnSignal } from '../run/stop.ts'
import { version } from '../version.ts'

const shutdownMs = 10_000
const defaultMetricsAddress: ListenAddress = { host: '127.0.0.1', port: 9_090 }

/** Config mode: runs everything that the configuration enables until a signal comes. */
export async function run(options: Extract<Invocation, { command: 'run' }>, host: Host): Promise<number> {
  const { terminal, secrets, signals } = host
  const config = await loadChecked(options, host)
  const { log } = setUpLog({
    terminal,
    secrets,
    environment: config.env,
    level: config.settings.log_level,
    fallback: 'info',
    format: config.settings.logger === 'json' ? 'json' : 'plain',
  })
  const address = metricsAddress(options, config)
  const problems = [
    ...config.problems,
    ...(address === 'wrong'
      ? [
          usage(
            '--metrics-addr',
            `${JSON.stringify(options.metricsAddress)} is no address`,
            'for example: 127.0.0.1:9090',
          ),
        ]
      : []),
  ]
  if (hasErrors(problems) || address === 'wrong') {
    const errors = problems.filter(problem => problem.severity === 'error')
    terminal.err(secrets.scrub(formatReport(errors)))
    return exitCode.invalid
  }

  signals.onHangUp(() =>
    log.warn(
      'SIGHUP: reloading is not available in this version of mqb; restart it to change the configuration',
      {
        code: 'MQB_NO_RELOAD',
      },
    ),
  )
  const { env } = config
  const bridge = createBridge({ registry: config.registry, log, secrets, env })
  const routes = bridge.load(config.routes).filter(route => route.plan.options.enabled)
  showBanner(config, routes, log, host)
  for (const { code, where, what, mend } of config.otherWarnings)
    log.warn(`${where}: ${what}${mend === '' ? '' : `; ${mend}`}`, { code })

  const stopped = stopOnSignal(host, bridge, log, shutdownMs)
  const metrics =
    address === undefined
      ? undefined
      : await (await import('../run/metrics.ts')).serveBridgeMetrics(bridge, address, log)
  if (!(await startRoutes(bridge, routes, log, signals.stop))) {
    await bridge.stop({ deadlineMs: 0 })
    await metrics?.close()
    return exitCode.failed
  }
  // With nothing that moves, nothing else would keep the process alive until its signal comes.
  const keepAlive = setInterval(() => {}, 2 ** 30)
  void reportWhenAllEnded(routes, log, signals.stop)
  const { results, forced } = await stopped
  clearInterval(keepAlive)
  await metrics?.close()
  const failed = [...results.values()].some(result => result.outcome === 'failed' || result.abandoned > 0)
  log.info('stopped', { code: 'MQB_STOPPED' })
  return forced ? exitCode.forced : failed ? exitCode.failed : exitCode.done
}

function metricsAddress(
  { metrics, metricsAddress: given }: { metrics: boolean; metricsAddress?: string },
  { settings }: CheckedConfig,
): ListenAddress | 'wrong' | undefined {
  if (!metrics) return undefined
  const text = given ?? settings.metrics_addr
  return text === '' && given === undefined ? defaultMetricsAddress : (parseListenAddress(text) ?? 'wrong')
}

const usage = (where: string, what: string, mend: string) =>
  ({ severity: 'error', code: 'MQB_USAGE', where, what, mend }) as const

function showBanner(config: CheckedConfig, routes: readonly BridgeRoute[], log: Logger, host: Host): void {
  const off = config.routes.length - routes.length
  const from = config.files.length === 0 ? '' : `${config.files.join(', ')}: `
  const lines = [
    `mqb ${version}, Node ${process.versions.node}`,
    `${from}${count(routes.length, 'route')}${off === 0 ? '' : ` and ${off} disabled`}, ${count(config.registry.plugins.length, 'plugin')}`,
  ]
  if (config.settings.logger === 'json') log.info(lines.join(', '), { code: 'MQB_BANNER' })
  else for (const line of lines) host.terminal.err(line)
}

/** @returns whether the process has something to stay for. */
async function startRoutes(
  bridge: Bridge,
  routes: readonly BridgeRoute[],
  log: Logger,
  stop: AbortSignal,
): Promise<boolean> {
  if (routes.length === 0) {
    log.warn('nothing is configured to run (see mqb --help); waiting for SIGINT or SIGTERM', {
      code: 'MQB_NOTHING_CONFIGURED',
    })
    return true
  }
  if (stop.aborted) return true
  const report = await bridge.start()
  if (stop.aborted) return true
  return reportStart(report, routes.length, log)
}

function reportStart({ started, failed }: StartReport, enabled: number, log: Logger): boolean {
  for (const { name, error } of failed)
    log.error(`route ${name} has not started: ${error.message}`, { code: error.code, route: name })
  if (failed.length === 0) {
    log.info(`${started.length} of ${count(enabled, 'route')} started`, { code: 'MQB_ROUTES_STARTED' })
    return true
  }
  if (started.length > 0) {
    log.warn(`only ${started.length} of ${count(enabled, 'route')} started`, {
      code: 'MQB_ROUTES_STARTED',
      failed: failed.map(({ name }) => name),
    })
    return true
  }
  log.error(`none of ${count(enabled, 'route')} could start`, { code: 'MQB_NOTHING_STARTED' })
  return false
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`
