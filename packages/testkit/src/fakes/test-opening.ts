import {
  type Clock,
  type Consumer,
  type EndpointPlan,
  MqbError,
  type Opening,
  type Publisher,
  type Side,
  type StoreKind,
  type StoreOf,
  type StoreProvider,
} from '@mqb/core'
import { createRecordingLogger, type RecordingLogger } from './recording-logger.ts'
import { createSystemClock } from './system-clock.ts'
import { createTestSecrets, type TestSecrets } from './test-secrets.ts'

/** What a test may want to set; each has the default that is named here. */
export interface TestOpeningOptions {
  /** `test` */
  readonly route?: string
  /** `test.<side>` */
  readonly path?: string
  /** `output` */
  readonly side?: Side
  /** `false` */
  readonly drain?: boolean
  /** 100 */
  readonly drainIdleMs?: number
  /** 512 */
  readonly batchSize?: number
  /** 1 */
  readonly concurrency?: number
  /** `false` */
  readonly sourceMetadata?: boolean
  /** `true`: tests are where deliberate faults belong. */
  readonly faultInjection?: boolean
  /** Real time. Pass `createFakeClock()` to own it. */
  readonly clock?: Clock
  readonly log?: RecordingLogger
  readonly secrets?: TestSecrets
  /** Never aborts. */
  readonly signal?: AbortSignal
  /** By URL scheme: what `openStore` may open. */
  readonly stores?: Readonly<Record<string, StoreProvider>>
}

/** An `Opening` that shows what the component did with it. */
export interface TestOpening extends Opening {
  readonly log: RecordingLogger
  readonly secrets: TestSecrets
  /** Counters by name, of this opening alone. */
  readonly counted: Readonly<Record<string, number>>
  /** Openings made by `child`, in order. */
  readonly children: readonly TestOpening[]
  child(name: string, side?: Side): TestOpening
}

/**
 * An opening without a runtime. Nested plans are opened as they are: the leaf, then its middlewares in the order of
 * the configuration, with no reconnecting shell around them.
 */
export function createTestOpening(options: TestOpeningOptions = {}): TestOpening {
  const side = options.side ?? 'output'
  const route = options.route ?? 'test'
  const path = options.path ?? `${route}.${side}`
  const log = options.log ?? createRecordingLogger()
  const secrets = options.secrets ?? createTestSecrets()
  const clock = options.clock ?? createSystemClock()
  const signal = options.signal ?? new AbortController().signal
  const counted: Record<string, number> = Object.create(null)
  const children: TestOpening[] = []

  const opening: TestOpening = {
    route,
    path,
    side,
    drain: options.drain ?? false,
    drainIdleMs: options.drainIdleMs ?? 100,
    batchSize: options.batchSize ?? 512,
    concurrency: options.concurrency ?? 1,
    sourceMetadata: options.sourceMetadata ?? false,
    faultInjection: options.faultInjection ?? true,
    clock,
    log,
    secrets,
    signal,
    counted,
    children,
    counters: {
      add(name, by = 1) {
        counted[name] = (counted[name] ?? 0) + by
      },
    },
    child(name, childSide = side) {
      const child = createTestOpening({
        ...options,
        route,
        path: `${path}.${name}`,
        side: childSide,
        log,
        secrets,
        clock,
        signal,
      })
      children.push(child)
      return child
    },
    openEndpoint: ((plan: EndpointPlan) => openPlan(plan, opening)) as Opening['openEndpoint'],
    openStore: (kind, url) => openStore(kind, url, opening, options.stores ?? {}),
  }
  return opening
}

async function openPlan(plan: EndpointPlan, opening: Opening): Promise<Consumer | Publisher> {
  return plan.side === 'input'
    ? openInput(plan as EndpointPlan<'input'>, opening)
    : openOutput(plan as EndpointPlan<'output'>, opening)
}

async function openInput(plan: EndpointPlan<'input'>, opening: Opening): Promise<Consumer> {
  if (plan.definition.openConsumer === undefined) throw wrongSide(plan)
  let consumer = await plan.definition.openConsumer(plan.config, opening)
  // The first of an input's list is outermost, so the last wraps first.
  for (const middleware of [...plan.middlewares].reverse()) {
    const wrap = middleware.definition.wrapConsumer
    if (wrap === undefined) throw wrongSide(plan, middleware.kind)
    consumer = await wrap.call(middleware.definition, consumer, middleware.config, opening)
  }
  return consumer
}

async function openOutput(plan: EndpointPlan<'output'>, opening: Opening): Promise<Publisher> {
  if (plan.definition.openPublisher === undefined) throw wrongSide(plan)
  let publisher = await plan.definition.openPublisher(plan.config, opening)
  for (const middleware of plan.middlewares) {
    const wrap = middleware.definition.wrapPublisher
    if (wrap === undefined) throw wrongSide(plan, middleware.kind)
    publisher = await wrap.call(middleware.definition, publisher, middleware.config, opening)
  }
  return publisher
}

function wrongSide(plan: EndpointPlan, kind = plan.kind): MqbError {
  return new MqbError({
    kind: 'config',
    code: 'MQB_CONFIG_WRONG_SIDE',
    where: plan.path,
    what: `${kind} has no ${plan.side} side`,
  })
}

async function openStore<K extends StoreKind>(
  kind: K,
  url: string,
  opening: Opening,
  stores: Readonly<Record<string, StoreProvider>>,
): Promise<StoreOf<K>> {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1] ?? ''
  const provider = stores[scheme]
  if (provider?.[kind] === undefined)
    throw new MqbError({
      kind: 'config',
      code: 'MQB_CONFIG_STORE_UNKNOWN',
      where: opening.path,
      what: `no ${kind} store for ${JSON.stringify(url)}`,
      mend: 'pass its provider: createTestOpening({ stores: { scheme: provider } })',
    })
  return (await provider[kind](url, opening)) as StoreOf<K>
}
