import { fileURLToPath } from 'node:url'
import type {
  Clock,
  Message as CoreMessage,
  EndpointConfig,
  Logger,
  LogLevel,
  MqbError,
  Outcome,
  RouteConfig,
  RouteOptions,
  RoutePlan,
  Secrets,
} from '@mqb/core'
import { Message as ClassOfCore, EndOfStream as EndOfCore } from '@mqb/core'
import type { Registry } from '@mqb/core/config'
import type {
  BatchToken,
  Bridge,
  BridgeOptions,
  BridgeRoute,
  BridgeRouteOptions,
  DeliveryGuarantee,
  Handler,
  HandlerResult,
  HostLogRecord,
  PolledBatch,
  RouteCounts,
  RouteHandle,
  RouteOutcome,
  RouteResult,
  RouteState,
  RouteStatus,
  RunOptions,
  SimpleEndpoint,
  SimpleMiddleware,
  StartFailure,
  StartReport,
  StopOptions,
  TypedHandler,
  TypeHandlerContext,
} from '@mqb/core/runtime'
import * as runtime from '@mqb/core/runtime'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { exportedNames } from '../../../../tooling/workspace/exported-names.ts'

// The compiler is the judge of most of this; the test only has to run.
describe('the types of the runtime', () => {
  it('of the bridge', () => {
    expectTypeOf(runtime.createBridge).parameters.toEqualTypeOf<[options?: BridgeOptions | undefined]>()
    expectTypeOf(runtime.createBridge).returns.toEqualTypeOf<Bridge>()
    expectTypeOf<Bridge>().toExtend<AsyncDisposable>()
    expectTypeOf<Bridge['registry']>().toEqualTypeOf<Registry>()
    expectTypeOf<Bridge['route']>().toEqualTypeOf<
      (name: string, config: RouteConfig | RoutePlan) => BridgeRoute
    >()
    expectTypeOf<Bridge['load']>().toEqualTypeOf<(routes: Iterable<RoutePlan>) => readonly BridgeRoute[]>()
    expectTypeOf<Bridge['start']>().returns.resolves.toEqualTypeOf<StartReport>()
    expectTypeOf<Bridge['stop']>().returns.resolves.toEqualTypeOf<ReadonlyMap<string, RouteResult>>()
    expectTypeOf<Bridge['status']>().returns.toEqualTypeOf<readonly RouteStatus[]>()
    expectTypeOf<Bridge['publisher']>().returns.toEqualTypeOf<runtime.BridgePublisher>()
    expectTypeOf<Bridge['consumer']>().returns.toEqualTypeOf<runtime.BridgeConsumer>()
    expectTypeOf<StartReport['failed']>().toEqualTypeOf<readonly StartFailure[]>()
    expectTypeOf<StartFailure['error']>().toEqualTypeOf<MqbError>()
    expectTypeOf<NonNullable<BridgeOptions['clock']>>().toEqualTypeOf<Clock>()
    expectTypeOf<NonNullable<BridgeOptions['log']>>().toEqualTypeOf<Logger>()
    expectTypeOf<NonNullable<BridgeOptions['secrets']>>().toEqualTypeOf<Secrets>()
    expectTypeOf(runtime.systemClock).toEqualTypeOf<Clock>()
  })

  it('of routes', () => {
    expectTypeOf<BridgeRoute['withHandler']>().parameters.toEqualTypeOf<[handler: Handler]>()
    expectTypeOf<BridgeRoute['withOptions']>().parameters.toEqualTypeOf<[options: BridgeRouteOptions]>()
    expectTypeOf<BridgeRouteOptions>().toEqualTypeOf<Partial<RouteOptions> & RunOptions>()
    expectTypeOf<BridgeRoute['stop']>().parameters.toEqualTypeOf<[options?: StopOptions | undefined]>()
    expectTypeOf<BridgeRoute['join']>().returns.resolves.toEqualTypeOf<RouteResult>()
    expectTypeOf<BridgeRoute['status']>().returns.toEqualTypeOf<RouteStatus>()
    expectTypeOf<RouteStatus['state']>().toEqualTypeOf<RouteState>()
    expectTypeOf<RouteOutcome>().toEqualTypeOf<'completed' | 'stopped' | 'failed'>()
    expectTypeOf<RouteStatus['guarantee']>().toEqualTypeOf<DeliveryGuarantee>()
    expectTypeOf<RouteResult['counts']>().toEqualTypeOf<RouteCounts>()
    expectTypeOf(runtime.imbalanceOf).toEqualTypeOf<(counts: RouteCounts) => number>()
    expectTypeOf(runtime.deliveryGuarantee).toEqualTypeOf<(plan: RoutePlan) => DeliveryGuarantee>()
  })

  it('of handlers', () => {
    expectTypeOf<HandlerResult>().toEqualTypeOf<CoreMessage | null | undefined>()
    expectTypeOf<Handler>().toEqualTypeOf<(message: CoreMessage) => HandlerResult | Promise<HandlerResult>>()
    expectTypeOf<(message: CoreMessage) => null>().toExtend<Handler>()
    expectTypeOf<(message: CoreMessage) => Promise<CoreMessage>>().toExtend<Handler>()
    expectTypeOf<(message: CoreMessage) => string>().not.toExtend<Handler>()
    expectTypeOf<TypedHandler<{ n: number }>>().parameters.toEqualTypeOf<
      [data: { n: number }, context: TypeHandlerContext]
    >()
    expectTypeOf<TypeHandlerContext['message']>().toEqualTypeOf<CoreMessage>()
    expectTypeOf<runtime.TypeHandler['handle']>().toExtend<Handler>()
    new runtime.TypeHandler().add<{ n: number }>('x', ({ n }) => {
      expectTypeOf(n).toEqualTypeOf<number>()
      return null
    })
  })

  it('of the default bridge', () => {
    type Loaders<T> = {
      fromFile(path: string, name?: string): T
      fromStr(text: string, name?: string): T
      fromConfig(config: unknown, name?: string): T
    }
    expectTypeOf(runtime.Route).toExtend<Loaders<runtime.Route>>()
    expectTypeOf(runtime.Publisher).toExtend<Loaders<runtime.Publisher>>()
    expectTypeOf(runtime.Consumer).toExtend<Loaders<runtime.Consumer>>()
    type RouteParts = ConstructorParameters<typeof runtime.Route>
    expectTypeOf<EndpointConfig | RoutePlan>().toExtend<RouteParts[0]>()
    expectTypeOf<RouteParts[1]>().toEqualTypeOf<EndpointConfig | null | undefined>()
    expectTypeOf<RouteParts[2]>().toEqualTypeOf<string | undefined>()
    expectTypeOf<runtime.Route['start']>().returns.resolves.toEqualTypeOf<void>()
    expectTypeOf<runtime.Route['wait']>().returns.resolves.toEqualTypeOf<RouteResult>()
    expectTypeOf<runtime.Route['run']>().returns.resolves.toEqualTypeOf<RouteHandle>()
    expectTypeOf<RouteHandle['outcome']>().returns.toEqualTypeOf<RouteOutcome | undefined>()
    expectTypeOf(runtime.defaultBridge).returns.toEqualTypeOf<Bridge>()
    expectTypeOf(runtime.getRoute).returns.toEqualTypeOf<BridgeRoute | undefined>()
    expectTypeOf(runtime.listRoutes).returns.toEqualTypeOf<readonly string[]>()
    expectTypeOf(runtime.stopRoute).returns.resolves.toEqualTypeOf<boolean>()
    expectTypeOf(runtime.routeStatus).returns.toEqualTypeOf<RouteStatus | undefined>()
    expectTypeOf(runtime.deploy).returns.resolves.toEqualTypeOf<readonly string[]>()
    expectTypeOf(runtime.deployFile).parameters.toEqualTypeOf<[path: string]>()
    expectTypeOf(runtime.getPublisher).returns.toEqualTypeOf<runtime.Publisher | undefined>()
    expectTypeOf(runtime.unregisterPublisher).returns.toEqualTypeOf<boolean>()
    expectTypeOf(runtime.requestShutdown).returns.toEqualTypeOf<boolean>()
    expectTypeOf(runtime.isShutdownRequested).returns.toEqualTypeOf<boolean>()
    expectTypeOf(runtime.initLogging).parameters.toEqualTypeOf<
      [callback: (record: HostLogRecord) => void, level?: LogLevel | undefined]
    >()
    expectTypeOf(runtime.version).toEqualTypeOf<string>()
    expectTypeOf(runtime.configSchema).returns.toEqualTypeOf<Readonly<Record<string, unknown>>>()
  })

  it('of endpoints without a route', () => {
    expectTypeOf<runtime.BridgePublisher['send']>().parameters.toEqualTypeOf<[message: CoreMessage]>()
    expectTypeOf<runtime.BridgePublisher['sendBatch']>().parameters.toEqualTypeOf<
      [messages: readonly CoreMessage[]]
    >()
    expectTypeOf<runtime.BridgePublisher['request']>().returns.resolves.toEqualTypeOf<CoreMessage>()
    expectTypeOf<runtime.BridgePublisher['requestJson']>().returns.resolves.toEqualTypeOf<unknown>()
    expectTypeOf<runtime.BridgePublisher>().toExtend<AsyncDisposable>()
    expectTypeOf<runtime.BridgeConsumer['poll']>().returns.resolves.toEqualTypeOf<readonly CoreMessage[]>()
    expectTypeOf<runtime.BridgeConsumer['pollBatch']>().returns.resolves.toEqualTypeOf<PolledBatch>()
    expectTypeOf<runtime.BridgeConsumer['ack']>().parameters.toEqualTypeOf<[token: BatchToken]>()
    expectTypeOf<runtime.BridgeConsumer['nack']>().parameters.toEqualTypeOf<
      [token?: BatchToken | undefined]
    >()
    expectTypeOf<runtime.BridgeConsumer['exhausted']>().toEqualTypeOf<boolean>()
    expectTypeOf<runtime.BridgeConsumer>().toExtend<AsyncIterable<CoreMessage>>()
  })

  it('of simple forms', () => {
    runtime.simpleEndpoint<{ path: string }>('x', (route, config) => {
      expectTypeOf(route).toEqualTypeOf<string>()
      expectTypeOf(config).toEqualTypeOf<{ path: string }>()
      return {}
    })
    expectTypeOf<{ receiveBatch(max: number): string[] }>().toExtend<SimpleEndpoint>()
    expectTypeOf<{ onSend(messages: readonly CoreMessage[]): null[] }>().toExtend<SimpleMiddleware>()
    expectTypeOf(runtime.registerEndpoint).returns.toEqualTypeOf<void>()
    expectTypeOf(runtime.unregisterMiddleware).returns.toEqualTypeOf<boolean>()
  })

  it('of what core shares', () => {
    expect(runtime.Message).toBe(ClassOfCore)
    expect(runtime.EndOfStream).toBe(EndOfCore)
    expectTypeOf<Outcome['kind']>().toEqualTypeOf<'ack' | 'reply' | 'failure'>()
  })

  it('are about everything that is exported', () => {
    const names = exportedNames(fileURLToPath(new URL('../../src/runtime/index.ts', import.meta.url)))
    expect(names).toEqual([...types, ...values].sort())
    expect(Object.keys(runtime).sort()).toEqual(values.toSorted())
  })
})

const types: readonly string[] = [
  'BatchToken',
  'Bridge',
  'BridgeOptions',
  'BridgeRoute',
  'BridgeRouteOptions',
  'DeliveryGuarantee',
  'Handler',
  'HandlerResult',
  'HostLogRecord',
  'LogFilter',
  'LogFormat',
  'LogRecord',
  'LogSink',
  'LoggerOptions',
  'MaybePromise',
  'ParsedLogFilter',
  'PolledBatch',
  'RouteCounts',
  'RouteHandle',
  'RouteOutcome',
  'RouteResult',
  'RouteState',
  'RouteStatus',
  'RunOptions',
  'SimpleBatch',
  'SimpleCapabilities',
  'SimpleEndpoint',
  'SimpleEndpointFactory',
  'SimpleEndpointOptions',
  'SimpleItem',
  'SimpleMiddleware',
  'SimpleMiddlewareFactory',
  'SimpleOptions',
  'SimpleOutcome',
  'SimpleResult',
  'SimpleSlot',
  'StartFailure',
  'StartReport',
  'StopOptions',
  'TypeHandlerContext',
  'TypedHandler',
]

const values: readonly string[] = [
  'BridgeConsumer',
  'BridgePublisher',
  'Consumer',
  'EndOfStream',
  'Message',
  'Publisher',
  'Route',
  'TypeHandler',
  'configSchema',
  'createBridge',
  'createLogger',
  'createSecrets',
  'defaultBridge',
  'deliveryGuarantee',
  'deploy',
  'deployFile',
  'getPublisher',
  'getRoute',
  'hidden',
  'imbalanceOf',
  'initLogging',
  'isShutdownRequested',
  'listRoutes',
  'logLevels',
  'parseLogFilter',
  'registerEndpoint',
  'registerEndpointConfig',
  'registerMiddleware',
  'registerPlugin',
  'requestShutdown',
  'routeStatus',
  'silentLogger',
  'simpleEndpoint',
  'simpleMiddleware',
  'stopRoute',
  'systemClock',
  'unregisterEndpoint',
  'unregisterEndpointConfig',
  'unregisterMiddleware',
  'unregisterPublisher',
  'version',
]
