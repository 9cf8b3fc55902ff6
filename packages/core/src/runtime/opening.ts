import type { Side } from '../contract/capabilities.ts'
import type { Consumer } from '../contract/consumer.ts'
import type { Logger } from '../contract/logger.ts'
import type { Clock, Counters, Opening, Secrets } from '../contract/opening.ts'
import type { Publisher } from '../contract/publisher.ts'
import type { StoreKind, StoreOf } from '../contract/store.ts'
import type { EndpointPlan } from '../plan/plan.ts'
import type { Accounting } from './accounting.ts'
import type { CounterSet } from './counters.ts'
import { openConsumerChain, openPublisherChain } from './open-endpoint.ts'
import type { ShellSettings } from './shell/settings.ts'

export type OpenStore = <K extends StoreKind>(kind: K, url: string, opening: Opening) => Promise<StoreOf<K>>

/** What all openings of one run of a route share. */
export interface OpeningSetup {
  readonly route: string
  readonly drain: boolean
  readonly drainIdleMs: number
  readonly batchSize: number
  readonly concurrency: number
  readonly sourceMetadata: boolean
  readonly faultInjection: boolean
  readonly clock: Clock
  readonly log: Logger
  readonly secrets: Secrets
  readonly signal: AbortSignal
  readonly counters: CounterSet
  readonly accounting: Accounting
  readonly shells: ShellSettings
  readonly openStore: OpenStore
}

export interface OpeningPlace {
  readonly path: string
  readonly side: Side
  /** Whether an input that is opened here feeds the route, so that its messages belong to the balance. */
  readonly feedsRoute: boolean
}

/** The opening of one component. Children share the set-up and differ in their place. */
export class RouteOpening implements Opening {
  readonly setup: OpeningSetup
  readonly place: OpeningPlace
  readonly route: string
  readonly path: string
  readonly side: Side
  readonly drain: boolean
  readonly drainIdleMs: number
  readonly batchSize: number
  readonly concurrency: number
  readonly sourceMetadata: boolean
  readonly faultInjection: boolean
  readonly clock: Clock
  readonly log: Logger
  readonly counters: Counters
  readonly secrets: Secrets
  readonly signal: AbortSignal

  constructor(setup: OpeningSetup, place: OpeningPlace) {
    this.setup = setup
    this.place = place
    this.route = setup.route
    this.path = place.path
    this.side = place.side
    this.drain = setup.drain
    this.drainIdleMs = setup.drainIdleMs
    this.batchSize = setup.batchSize
    this.concurrency = setup.concurrency
    this.sourceMetadata = setup.sourceMetadata
    this.faultInjection = setup.faultInjection
    this.clock = setup.clock
    this.log = setup.log.child(place.path)
    this.counters = setup.counters.at(place.path)
    this.secrets = setup.secrets
    this.signal = setup.signal
  }

  child(name: string, side: Side = this.side): RouteOpening {
    const path = name.startsWith('[') ? `${this.path}${name}` : `${this.path}.${name}`
    return this.at(path, side)
  }

  /** The opening of another component of the same route. */
  at(path: string, side: Side): RouteOpening {
    const feedsRoute = this.place.feedsRoute && side === 'input'
    return new RouteOpening(this.setup, { path, side, feedsRoute })
  }

  openEndpoint(plan: EndpointPlan<'input'>): Promise<Consumer>
  openEndpoint(plan: EndpointPlan<'output'>): Promise<Publisher>
  openEndpoint(plan: EndpointPlan): Promise<Consumer | Publisher> {
    return isInput(plan)
      ? openConsumerChain(plan, this)
      : openPublisherChain(plan as EndpointPlan<'output'>, this)
  }

  openStore<K extends StoreKind>(kind: K, url: string): Promise<StoreOf<K>> {
    return this.setup.openStore(kind, url, this)
  }
}

function isInput(plan: EndpointPlan): plan is EndpointPlan<'input'> {
  return plan.side === 'input'
}
