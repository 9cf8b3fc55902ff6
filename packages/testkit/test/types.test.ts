import { fileURLToPath } from 'node:url'
import type { Clock, Consumer, EndpointPlan, Logger, Message, Opening, Plugin, Publisher } from '@mqb/core'
import type {
  Answer,
  ConnectorSuiteOptions,
  Delivery,
  FakeClock,
  FaultProxy,
  FaultProxyOptions,
  MiddlewareSuiteOptions,
  ProvisionedEnds,
  PublisherScript,
  RecordedTest,
  RecordingLogger,
  RecordingRunner,
  ReferenceChanges,
  ReferenceConnector,
  ScriptedConsumer,
  ScriptedPublisher,
  StoreSuiteOptions,
  SystemClock,
  TestOpening,
  TestOpeningOptions,
  TestRunner,
  TestSecrets,
} from '@mqb/testkit'
import * as testkit from '@mqb/testkit'
import * as faulty from '@mqb/testkit/faulty'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { exportedNames } from '../../../tooling/workspace/exported-names.ts'

// The compiler is the judge of most of this; the test only has to run.
describe('the types of the test kit', () => {
  it('of the suites', () => {
    expectTypeOf(testkit.testConnector).parameters.toEqualTypeOf<
      [runner: TestRunner, options: ConnectorSuiteOptions]
    >()
    expectTypeOf(testkit.testMiddleware).parameters.toEqualTypeOf<
      [runner: TestRunner, options: MiddlewareSuiteOptions]
    >()
    for (const suite of [
      testkit.testCheckpointStore,
      testkit.testDedupStore,
      testkit.testStateStore,
    ] as const)
      expectTypeOf(suite).parameters.toEqualTypeOf<[runner: TestRunner, options: StoreSuiteOptions]>()
    // Any runner serves that has the two functions.
    expectTypeOf<{ describe: typeof describe; it: typeof it }>().toExtend<TestRunner>()
    expectTypeOf<ConnectorSuiteOptions['plugin']>().toEqualTypeOf<Plugin>()
    expectTypeOf<ConnectorSuiteOptions['provision']>().returns.toEqualTypeOf<
      ProvisionedEnds | Promise<ProvisionedEnds>
    >()
    expectTypeOf(testkit.createRecordingRunner).returns.toEqualTypeOf<RecordingRunner>()
    expectTypeOf<RecordingRunner['run']>().returns.resolves.toEqualTypeOf<readonly RecordedTest[]>()
  })

  it('of the fakes', () => {
    expectTypeOf(testkit.createFakeClock).returns.toEqualTypeOf<FakeClock>()
    expectTypeOf(testkit.createSystemClock).returns.toEqualTypeOf<SystemClock>()
    expectTypeOf<FakeClock>().toExtend<Clock>()
    expectTypeOf(testkit.createRecordingLogger).returns.toEqualTypeOf<RecordingLogger>()
    expectTypeOf<RecordingLogger>().toExtend<Logger>()
    expectTypeOf(testkit.createTestSecrets).returns.toEqualTypeOf<TestSecrets>()
    expectTypeOf(testkit.createTestOpening).toEqualTypeOf<(options?: TestOpeningOptions) => TestOpening>()
    expectTypeOf<TestOpening>().toExtend<Opening>()
    expectTypeOf(testkit.scriptedConsumer).returns.toEqualTypeOf<ScriptedConsumer>()
    expectTypeOf(testkit.scriptedPublisher).toEqualTypeOf<
      (script?: PublisherScript, clock?: Clock) => ScriptedPublisher
    >()
    expectTypeOf<ScriptedConsumer>().toExtend<Consumer>()
    expectTypeOf<ScriptedPublisher>().toExtend<Publisher>()
    expectTypeOf<'end' | 'wait' | readonly string[]>().toExtend<Delivery>()
    expectTypeOf<'ack' | 'retryable' | { reply: string }>().toExtend<Answer>()
    expectTypeOf(testkit.publisherPlan).returns.toEqualTypeOf<EndpointPlan<'output'>>()
    expectTypeOf(testkit.consumerPlan).returns.toEqualTypeOf<EndpointPlan<'input'>>()
    expectTypeOf(testkit.textMessages).toEqualTypeOf<(...texts: readonly string[]) => Message[]>()
    expectTypeOf(testkit.slabMessages).toEqualTypeOf<(...texts: readonly string[]) => Message[]>()
    expectTypeOf(testkit.payloadTexts).toEqualTypeOf<(messages: readonly Message[]) => string[]>()
  })

  it('of what stands in for a system', () => {
    expectTypeOf(testkit.createFaultProxy).parameters.toEqualTypeOf<[options: FaultProxyOptions]>()
    expectTypeOf(testkit.createFaultProxy).returns.resolves.toEqualTypeOf<FaultProxy>()
    expectTypeOf(testkit.createReferenceConnector).toEqualTypeOf<
      (changes?: ReferenceChanges) => ReferenceConnector
    >()
    expectTypeOf<ReferenceConnector['plugin']>().toEqualTypeOf<Plugin>()
    expectTypeOf(faulty.faultyConnectors).toEqualTypeOf<readonly faulty.FaultyConnector[]>()
    expectTypeOf(faulty.faultyMiddlewares).toEqualTypeOf<readonly faulty.FaultyMiddleware[]>()
  })

  it('are about everything that is exported', () => {
    const names = exportedNames(fileURLToPath(new URL('../src/index.ts', import.meta.url)))
    expect(names).toEqual([...types, ...values].sort())
    expect(Object.keys(testkit).sort()).toEqual(values.toSorted())
    const faultyNames = exportedNames(fileURLToPath(new URL('../src/faulty/index.ts', import.meta.url)))
    expect(faultyNames).toEqual([
      'FaultyConnector',
      'FaultyMiddleware',
      'faultyConnectors',
      'faultyMiddlewares',
    ])
  })
})

const types: readonly string[] = [
  'Answer',
  'ConnectorSuiteOptions',
  'Delivery',
  'Direction',
  'FakeClock',
  'FaultProxy',
  'FaultProxyCounters',
  'FaultProxyOptions',
  'Hook',
  'InapplicableRule',
  'LogLine',
  'MiddlewareSuiteOptions',
  'ProvisionedEnds',
  'ProvisionedStore',
  'PublisherScript',
  'RecordedTest',
  'RecordingLogger',
  'RecordingRunner',
  'ReferenceChanges',
  'ReferenceChannel',
  'ReferenceConfig',
  'ReferenceConnector',
  'ReferenceContext',
  'ScriptedCommit',
  'ScriptedConsumer',
  'ScriptedConsumerOptions',
  'ScriptedPublisher',
  'StoreSuiteOptions',
  'StoredMessage',
  'SuiteLimits',
  'SuiteTest',
  'SystemClock',
  'TestOpening',
  'TestOpeningOptions',
  'TestPlanOptions',
  'TestRunner',
  'TestSecrets',
]

const values: readonly string[] = [
  'Unavailable',
  'consumerPlan',
  'createFakeClock',
  'createFaultProxy',
  'createRecordingLogger',
  'createRecordingRunner',
  'createReferenceChannel',
  'createReferenceConnector',
  'createReferenceStores',
  'createSystemClock',
  'createTestOpening',
  'createTestSecrets',
  'defaultLimits',
  'everyHook',
  'middlewareLimits',
  'numberedMessages',
  'payloadTexts',
  'publisherPlan',
  'referencePositionKey',
  'scriptedConsumer',
  'scriptedPublisher',
  'slabMessages',
  'testCheckpointStore',
  'testConnector',
  'testDedupStore',
  'testMiddleware',
  'testStateStore',
  'textMessages',
]
