import type { Logger } from '@mqb/core'
import type { Bridge } from '@mqb/core/runtime'
import { metricsContentType, renderMetrics } from '@mqb/metrics'
import { formatAddress, isLoopback, type ListenAddress } from '../metrics/address.ts'
import { serveMetrics } from '../metrics/server.ts'
import { version } from '../version.ts'

/** Serves the metrics of all routes of a bridge. */
export async function serveBridgeMetrics(
  bridge: Bridge,
  address: ListenAddress,
  log: Logger,
): Promise<{ close(): Promise<void> } | undefined> {
  const served = await serveMetrics(
    address,
    { contentType: metricsContentType, render: () => renderMetrics(routeMetrics(bridge), version) },
    log,
  )
  if (served === undefined) return undefined
  const url = `http://${formatAddress(served.address)}/metrics`
  log.info(`metrics are at ${url}`, { code: 'MQB_METRICS_SERVED', url })
  if (!isLoopback(address.host))
    log.info('whoever reaches this address can read the metrics; they hold names of routes, no messages')
  return served
}

/** A route that is switched off is neither healthy nor ill: it has no series. */
function routeMetrics(bridge: Bridge) {
  return bridge
    .routes()
    .filter(route => route.plan.options.enabled)
    .map(route => route.status())
    .map(status => ({
      route: status.name,
      healthy: status.healthy,
      failed: status.failures,
      dropped: status.counts.dropped,
      reconnects: status.reconnects,
    }))
}
