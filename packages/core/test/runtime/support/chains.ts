import { setMaxListeners } from 'node:events'
import type { Clock, Consumer, EndpointPlan, MqbError, Publisher } from '@mqb/core'
import { Accounting } from '../../../src/runtime/accounting.ts'
import { CounterSet } from '../../../src/runtime/counters.ts'
import { openConsumerChain, openPublisherChain } from '../../../src/runtime/open-endpoint.ts'
import { RouteOpening } from '../../../src/runtime/opening.ts'
import { Supervisor } from '../../../src/runtime/shell/supervisor.ts'
import { type TestLog, testLog } from './log.ts'
import { testContext } from './run.ts'

export interface Bench {
  readonly supervisor: Supervisor
  readonly accounting: Accounting
  readonly counters: CounterSet
  readonly log: TestLog
  readonly opening: RouteOpening
  readonly troubles: MqbError[]
  readonly endings: MqbError[]
  consumer(plan: EndpointPlan<'input'>): Promise<Consumer>
  publisher(plan: EndpointPlan<'output'>): Promise<Publisher>
}

/** What stands around a chain in a route, without the route. */
export function bench(clock: Clock, random: () => number = () => 0): Bench {
  const log = testLog()
  const context = testContext(clock, log, random)
  const troubles: MqbError[] = []
  const endings: MqbError[] = []
  const supervisor = new Supervisor({
    changed() {},
    troubled: error => troubles.push(error),
    ended: error => endings.push(error),
  })
  const accounting = new Accounting()
  const counters = new CounterSet()
  const opening = new RouteOpening(
    {
      route: 'r',
      drain: false,
      drainIdleMs: 1000,
      batchSize: 10,
      concurrency: 1,
      sourceMetadata: false,
      faultInjection: false,
      clock,
      log,
      secrets: context.secrets,
      signal: new AbortController().signal,
      counters,
      accounting,
      shells: { supervisor, commitConcurrency: 4096, capMs: 5000, random },
      openStore: context.openStore,
    },
    { path: 'r.input', side: 'input', feedsRoute: true },
  )
  return {
    supervisor,
    accounting,
    counters,
    log,
    opening,
    troubles,
    endings,
    consumer: plan => openConsumerChain(plan, opening),
    publisher: plan => openPublisherChain(plan, opening),
  }
}

export const never: AbortSignal = new AbortController().signal
setMaxListeners(0, never)
export const ten = { messages: 10, bytes: 1_000_000 }
