import { defineMiddleware, definePlugin } from '@mqb/core'
import { type MetricsConfig, metricsConfig } from './config.ts'
import { measureConsumer, measurePublisher } from './metrics.ts'
import { seriesOf } from './registry.ts'

export { type MetricsConfig, metricsConfig } from './config.ts'
export { forgetRoute, metricsRegistry } from './registry.ts'
export { metricsContentType, type RouteMetrics, renderMetrics, renderRouteMetrics } from './render.ts'

export default definePlugin({
  name: '@mqb/metrics',
  middlewares: {
    metrics: defineMiddleware<MetricsConfig>({
      summary: 'Counts and times the messages of an endpoint for Prometheus.',
      config: metricsConfig,
      examples: [
        { title: 'What is received', side: 'input', config: {} },
        { title: 'What is sent', side: 'output', config: {} },
      ],
      wrapConsumer: (inner, _config, { route, clock }) =>
        measureConsumer(inner, seriesOf(route, 'input'), clock),
      wrapPublisher: (inner, _config, { route, clock }) =>
        measurePublisher(inner, seriesOf(route, 'output'), clock),
    }),
  },
})
