import type { Logger } from '@mqb/core'
import type { BridgeRoute, RouteCounts } from '@mqb/core/runtime'

/** Logs once when every started route has come to its end by itself. The process then only waits for its signal. */
export async function reportWhenAllEnded(
  routes: readonly BridgeRoute[],
  log: Logger,
  stop: AbortSignal,
): Promise<void> {
  if (routes.length === 0 || stop.aborted) return
  const results = await Promise.all(routes.map(route => route.ended()))
  if (stop.aborted) return
  const byRoute: Record<string, RouteCounts & { elapsedMs: number; outcome: string }> = {}
  for (const [index, { counts, elapsedMs, outcome }] of results.entries())
    byRoute[routes[index]?.name ?? ''] = { outcome, ...counts, elapsedMs: Math.round(elapsedMs) }
  const failed = results.some(({ outcome }) => outcome === 'failed')
  log[failed ? 'warn' : 'info']('every route has come to its end; waiting for SIGINT or SIGTERM', {
    code: 'MQB_ROUTES_ENDED',
    routes: byRoute,
  })
}
