import { metricsRegistry } from './registry.ts'

/** What the metrics of a route are made of: plain numbers, as the status of a route has them. */
export interface RouteMetrics {
  readonly route: string
  readonly healthy: boolean
  /** Failures that reached the route, of any kind; a message that comes again and fails again counts again. */
  readonly failed: number
  /** Messages that were given up for good and kept nowhere. */
  readonly dropped: number
  /** How often an endpoint of the route was opened again. */
  readonly reconnects: number
}

/** Of everything that is rendered here: the Prometheus text format 0.0.4. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  readonly help: string
  readonly value: (route: RouteMetrics) => number
}

const perRoute: readonly Metric[] = [
  {
    name: 'mqb_messages_failed_total',
    type: 'counter',
    help: 'Failures of messages that reached the route; one that comes again and fails again counts again.',
    value: route => route.failed,
  },
  {
    name: 'mqb_messages_dropped_total',
    type: 'counter',
    help: 'Messages that could not be delivered and are kept nowhere.',
    value: route => route.dropped,
  },
  {
    name: 'mqb_route_reconnects_total',
    type: 'counter',
    help: 'How often an endpoint of the route was opened again.',
    value: route => route.reconnects,
  },
  {
    name: 'mqb_route_healthy',
    type: 'gauge',
    help: '1 while the route works, else 0.',
    value: route => (route.healthy ? 1 : 0),
  },
]

// The first name is the one of the program whose dashboards should go on working.
const infoNames = ['mq_bridge_app_info', 'mqb_info']

/** The metrics that are always there: four for each route, and the version. Text that ends with a line break. */
export function renderRouteMetrics(routes: readonly RouteMetrics[], version: string): string {
  const lines: string[] = []
  for (const name of infoNames) {
    lines.push(`# HELP ${name} The version that is running.`, `# TYPE ${name} gauge`)
    lines.push(`${name}{version="${escapeLabel(version)}"} 1`)
  }
  for (const { name, type, help, value } of perRoute) {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
    for (const route of routes) lines.push(`${name}{route="${escapeLabel(route.route)}"} ${value(route)}`)
  }
  return `${lines.join('\n')}\n`
}

/** Everything for a `/metrics` page: what is always there, and what the `metrics` middleware collected. */
export async function renderMetrics(routes: readonly RouteMetrics[], version: string): Promise<string> {
  return `${renderRouteMetrics(routes, version)}${await metricsRegistry.metrics()}`
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
