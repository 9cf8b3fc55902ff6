import { describe, expect, it } from 'vitest'
import { metricsContentType, renderMetrics, renderRouteMetrics } from '../src/index.ts'

const orders = { route: 'orders', healthy: true, failed: 3, dropped: 1, reconnects: 2 }

describe('the metrics that are always there', () => {
  it('are four for each route and the version, in the text format', () => {
    const text = renderRouteMetrics([orders, { ...orders, route: 'audit', healthy: false }], '1.2.3')
    expect(metricsContentType).toContain('version=0.0.4')
    expect(text.split('\n').filter(line => !line.startsWith('#'))).toEqual([
      'mq_bridge_app_info{version="1.2.3"} 1',
      'mqb_info{version="1.2.3"} 1',
      'mqb_messages_failed_total{route="orders"} 3',
      'mqb_messages_failed_total{route="audit"} 3',
      'mqb_messages_dropped_total{route="orders"} 1',
      'mqb_messages_dropped_total{route="audit"} 1',
      'mqb_route_reconnects_total{route="orders"} 2',
      'mqb_route_reconnects_total{route="audit"} 2',
      'mqb_route_healthy{route="orders"} 1',
      'mqb_route_healthy{route="audit"} 0',
      '',
    ])
  })

  it('name and type each metric once', () => {
    const text = renderRouteMetrics([orders], '1.2.3')
    expect(text.match(/^# TYPE /gm)).toHaveLength(6)
    expect(text.match(/^# HELP /gm)).toHaveLength(6)
    expect(text).toContain('# TYPE mqb_messages_failed_total counter')
    expect(text).toContain('# TYPE mqb_route_healthy gauge')
  })

  it('escape whatever a route is called', () => {
    expect(renderRouteMetrics([{ ...orders, route: 'a"b\\c\nd' }], '1')).toContain(
      'mqb_route_healthy{route="a\\"b\\\\c\\nd"} 1',
    )
  })

  it('come before those of the middleware on a page', async () => {
    const page = await renderMetrics([orders], '1.2.3')
    expect(page.indexOf('mqb_route_healthy')).toBeLessThan(page.indexOf('queue_messages_processed_total'))
    expect(page.endsWith('\n')).toBe(true)
  })
})
