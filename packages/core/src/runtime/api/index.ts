export { Consumer } from './consumer.ts'
export {
  defaultBridge,
  type HostLogRecord,
  initLogging,
  isShutdownRequested,
  registerPlugin,
  requestShutdown,
} from './default-bridge.ts'
export { getPublisher, Publisher, unregisterPublisher } from './publisher.ts'
export {
  configSchema,
  registerEndpoint,
  registerEndpointConfig,
  registerMiddleware,
  unregisterEndpoint,
  unregisterEndpointConfig,
  unregisterMiddleware,
} from './register.ts'
export {
  deploy,
  deployFile,
  getRoute,
  listRoutes,
  Route,
  type RouteHandle,
  routeStatus,
  stopRoute,
} from './route.ts'
export { version } from './version.ts'
