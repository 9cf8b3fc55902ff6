import type { EndpointPlan } from '../plan/plan.ts'
import type { Side } from './capabilities.ts'
import type { Consumer } from './consumer.ts'
import type { Logger } from './logger.ts'
import type { Publisher } from './publisher.ts'
import type { StoreKind, StoreOf } from './store.ts'

/** Time, passed in so that tests own it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number
  /** Resolves after `ms`; rejects with `signal.reason` as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `callback` once after `ms`. Returns what cancels it. The timer does not keep the process alive by itself. */
  timer(ms: number, callback: () => void): () => void
}

/** Named plain numbers of one endpoint or middleware; shown in its status details and rendered by metrics. */
export interface Counters {
  add(name: string, by?: number): void
}

/** The secret values in use. Every text that leaves the process passes `scrub`. */
export interface Secrets {
  /** Values under 4 characters are not searched in texts: they would hide half the log. */
  add(value: string): void
  /** Replaces each known value, also percent-encoded and base64, and the passwords of URLs, by `***`. */
  scrub(text: string): string
}

/** What every factory gets besides its parsed configuration. A leaf that is opened again gets the same object again. */
export interface Opening {
  /** Name of the route. */
  readonly route: string
  /** Where the component stands in the configuration: `orders.output.middlewares[1].dlq`. */
  readonly path: string
  readonly side: Side
  /** The route ends when the source has nothing more: an empty batch is due within `drainIdleMs` of silence. */
  readonly drain: boolean
  readonly drainIdleMs: number
  /** The route wants the largest batches of this size; a hint for buffers and prefetch. */
  readonly batchSize: number
  /** How many `send` calls may overlap. */
  readonly concurrency: number
  /** Stamp `mqb.src.*` metadata, whatever the field of the same name says. */
  readonly sourceMetadata: boolean
  /** The route allows deliberate faults (`allow_fault_injection`). */
  readonly faultInjection: boolean
  readonly clock: Clock
  readonly log: Logger
  readonly counters: Counters
  readonly secrets: Secrets
  /** Aborts when the route no longer wants what is being opened. */
  readonly signal: AbortSignal
  /** The opening for a nested endpoint or a part: `opening.child('dlq')`. `side` defaults to that of the parent. */
  child(name: string, side?: Side): Opening
  /** Used by `EndpointPlan.open`. Builds the chain; connecting goes on behind it and the route waits for it. */
  openEndpoint(plan: EndpointPlan<'input'>): Promise<Consumer>
  openEndpoint(plan: EndpointPlan<'output'>): Promise<Publisher>
  /** Opens a store by its URL; the scheme picks the provider. Closing it is the caller's. */
  openStore<K extends StoreKind>(kind: K, url: string): Promise<StoreOf<K>>
}
