import type { Clock, EndpointPlan, RouteOptions } from '@mqb/core'
import { createSecrets } from '../../../src/observe/secrets.ts'
import type { RuntimeContext } from '../../../src/runtime/context.ts'
import type { Handler } from '../../../src/runtime/route/handler.ts'
import { RouteRun } from '../../../src/runtime/route/route-run.ts'
import type { RunOptions } from '../../../src/runtime/route/run-options.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { type TestLog, testLog } from './log.ts'
import { type EndParts, inputPlan, outputPlan, routePlan } from './plans.ts'
import type { TestSink } from './sink.ts'
import type { TestSource } from './source.ts'

export interface RunSetup extends RunOptions {
  readonly source: TestSource | EndpointPlan<'input'>
  readonly sink: TestSink | EndpointPlan<'output'>
  readonly input?: Omit<EndParts<never>, 'open'>
  readonly output?: Omit<EndParts<never>, 'open'>
  readonly options?: Partial<RouteOptions>
  readonly handler?: Handler
  readonly clock?: Clock
  readonly random?: () => number
}

export function testContext(
  clock: Clock = systemClock,
  log: TestLog = testLog(),
  random = () => 0,
): RuntimeContext {
  return {
    clock,
    log,
    secrets: createSecrets(),
    random,
    openStore: () => Promise.reject(new Error('there is no store')),
    drainIdleMs: 1000,
    sourceMetadata: false,
  }
}

/** A route between a source and a sink of the test. Pauses have no length unless `random` says otherwise. */
export function testRun(setup: RunSetup): { run: RouteRun; log: TestLog } {
  const { source, sink, input, output, options, handler, clock, random, ...run } = setup
  const log = testLog()
  const plan = routePlan(
    'side' in source ? source : inputPlan({ ...input, open: source.consumer }),
    'side' in sink ? sink : outputPlan({ ...output, open: sink.publisher }),
    options,
  )
  return { run: new RouteRun({ plan, context: testContext(clock, log, random), handler, run }), log }
}

/** `m0`, `m1`, … */
export function texts(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `m${index}`)
}
