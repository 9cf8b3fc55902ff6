import { walkPlans } from '../../config/plan/plan-node.ts'
import type { Consumer } from '../../contract/consumer.ts'
import type { Publisher } from '../../contract/publisher.ts'
import type { MqbError } from '../../errors/mqb-error.ts'
import { toMqbError } from '../../errors/normalize.ts'
import type { RoutePlan } from '../../plan/plan.ts'
import type { Accounting } from '../accounting.ts'
import { Backoff } from '../backoff.ts'
import type { RuntimeContext } from '../context.ts'
import type { CounterSet } from '../counters.ts'
import { openConsumerChain, openPublisherChain } from '../open-endpoint.ts'
import { RouteOpening } from '../opening.ts'
import { closeWithin } from '../shell/close-within.ts'
import type { Supervisor } from '../shell/supervisor.ts'

export interface OpenEndsOptions {
  readonly plan: RoutePlan
  readonly context: RuntimeContext
  readonly drain: boolean
  readonly supervisor: Supervisor
  readonly accounting: Accounting
  readonly counters: CounterSet
  /** Aborts when nothing that is being opened is wanted any more. */
  readonly signal: AbortSignal
  /** Aborts when the route ends: there is no use in waiting. */
  readonly over: AbortSignal
  readonly troubled: (error: MqbError) => void
  /** Told of an end as soon as it is built: from then on the caller closes it, whatever follows. */
  readonly built: (ends: Ends) => void
}

export interface Ends {
  readonly input?: Consumer
  readonly output?: Publisher
}

/**
 * Builds the output and waits until all its leaves are open, then the input. A middleware that cannot be built because
 * of a lost connection, such as one with a store, is tried again.
 *
 * @returns both, or nothing when the route ended meanwhile.
 * @throws {MqbError} kinds `config` and `permanent`.
 */
export async function openEnds(options: OpenEndsOptions): Promise<Required<Ends> | undefined> {
  const { plan, context, supervisor, over, built } = options
  const backoff = new Backoff({ capMs: plan.options.reconnect_interval_ms, random: context.random })
  const root = rootOpening(options)
  const ended = new Promise<undefined>(resolve => {
    over.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const attempt = <T extends { close(): Promise<void> }>(build: () => Promise<T>): Promise<T | undefined> =>
    Promise.race([buildUntilItWorks(build, options, backoff), ended])
  const ready = (): Promise<unknown> => Promise.race([supervisor.whenAllReady(), ended])

  const output = await attempt(() =>
    openPublisherChain(plan.output, root.at(plan.output.path, 'output'), plan.options.concurrency),
  )
  if (output === undefined) return undefined
  built({ output })
  await ready()
  if (over.aborted) return undefined
  const input = await attempt(() => openConsumerChain(plan.input, root))
  if (input === undefined) return undefined
  built({ output, input })
  await ready()
  return over.aborted ? undefined : { input, output }
}

async function buildUntilItWorks<T extends { close(): Promise<void> }>(
  build: () => Promise<T>,
  { over, context, troubled, plan, supervisor }: OpenEndsOptions,
  backoff: Backoff,
): Promise<T> {
  for (;;) {
    const before = supervisor.members
    try {
      const built = await build()
      const { clock, log } = context
      if (over.aborted) await closeWithin({ what: plan.name, clock, log, close: () => built.close() })
      return built
    } catch (thrown) {
      await supervisor.closeAllExcept(before)
      const error = toMqbError(thrown, 'connection', plan.name)
      if (error.kind === 'config' || error.kind === 'permanent') throw error
      context.log.warn(`route ${plan.name} could not be built and is tried again: ${error.message}`, {
        code: error.code,
      })
      troubled(error)
      await context.clock.sleep(backoff.next(), over)
    }
  }
}

function rootOpening({
  plan,
  context,
  drain,
  supervisor,
  accounting,
  counters,
  signal,
}: OpenEndsOptions): RouteOpening {
  const { options } = plan
  return new RouteOpening(
    {
      route: plan.name,
      drain,
      drainIdleMs: context.drainIdleMs,
      batchSize: options.batch_size,
      concurrency: options.concurrency,
      sourceMetadata: context.sourceMetadata || needsPositions(plan),
      faultInjection: options.allow_fault_injection,
      clock: context.clock,
      log: context.log,
      secrets: context.secrets,
      signal,
      counters,
      accounting,
      shells: {
        supervisor,
        commitConcurrency: options.commit_concurrency_limit,
        capMs: options.reconnect_interval_ms,
        random: context.random,
      },
      openStore: context.openStore,
    },
    { path: plan.input.path, side: 'input', feedsRoute: true },
  )
}

function needsPositions(plan: RoutePlan): boolean {
  // The middlewares of an endpoint may need them too: `dlq` writes down where a dead letter came from.
  for (const { capabilities, leafCapabilities } of walkPlans(plan.output))
    if (capabilities.needsPosition || leafCapabilities.needsPosition) return true
  return false
}
