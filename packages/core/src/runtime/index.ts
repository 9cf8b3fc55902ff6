export { EndOfStream } from '../errors/signals.ts'
export { Message } from '../message/message.ts'
export * from '../observe/index.ts'
export { imbalanceOf, type RouteCounts } from './accounting.ts'
export * from './api/index.ts'
export {
  type Bridge,
  type BridgeOptions,
  createBridge,
  type StartFailure,
  type StartReport,
} from './bridge/bridge.ts'
export { type BatchToken, BridgeConsumer, type PolledBatch } from './bridge/bridge-consumer.ts'
export { BridgePublisher } from './bridge/bridge-publisher.ts'
export type { BridgeRoute, BridgeRouteOptions, StopOptions } from './bridge/bridge-route.ts'
export { type DeliveryGuarantee, deliveryGuarantee } from './route/guarantee.ts'
export type { Handler, HandlerResult } from './route/handler.ts'
export type { RouteOutcome, RouteResult, RouteState, RouteStatus } from './route/route-status.ts'
export type { RunOptions } from './route/run-options.ts'
export { type TypedHandler, TypeHandler, type TypeHandlerContext } from './route/type-handler.ts'
export { simpleEndpoint, simpleMiddleware } from './simple/index.ts'
export type * from './simple/types.ts'
export { systemClock } from './system-clock.ts'
