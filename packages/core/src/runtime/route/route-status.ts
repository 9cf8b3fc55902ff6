import type { EndpointStatus } from '../../contract/status.ts'
import type { MqbError } from '../../errors/mqb-error.ts'
import type { RouteCounts } from '../accounting.ts'
import type { DeliveryGuarantee } from './guarantee.ts'

/**
 * - `starting`: the ends are being opened for the first time
 * - `running`
 * - `reconnecting`: an end was lost and is being opened again; nothing is received
 * - `degraded`: a send has not answered for a minute, or whole batches fail for good
 * - `blocked`: messages fail and are left with the source, nothing gets through
 * - `completed`, `stopped`, `failed`: over
 */
export type RouteState = 'starting' | 'running' | 'reconnecting' | 'degraded' | 'blocked' | RouteOutcome

export type RouteOutcome = 'completed' | 'stopped' | 'failed'

/** Last known state of a route. Made from memory; carries no secret. */
export interface RouteStatus {
  readonly name: string
  readonly state: RouteState
  /** Why it is in a state other than `running`. */
  readonly reason?: string
  /** When it got into this state; milliseconds since the Unix epoch. */
  readonly sinceMs: number
  /** When the output took a message last. */
  readonly lastSuccessMs?: number
  readonly healthy: boolean
  readonly outcome?: RouteOutcome
  /** The last cause of trouble, or how many messages were dropped and why the last one was. */
  readonly error?: string
  readonly guarantee: DeliveryGuarantee
  readonly input: EndpointStatus
  readonly output: EndpointStatus
  readonly counts: RouteCounts
  /** False only when a component told the route nonsense: the numbers do not add up. */
  readonly balanced: boolean
  /** Messages that the source is done with. */
  readonly messages: number
  /** Messages per second: smoothed, and from the start to the last message. */
  readonly rate: number
  readonly average: number
  /** Failures that the output or the handler reported, of any kind; a message that fails twice counts twice. */
  readonly failures: number
  /** How often an end was opened again after it had been lost. */
  readonly reconnects: number
  /** Messages whose send had not answered when the route ended; they are also counted as returned. */
  readonly abandoned: number
  /** Counters of endpoints and middlewares, by their path in the configuration. */
  readonly counters: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** How a run of a route ended. */
export interface RouteResult {
  readonly outcome: RouteOutcome
  /** Why it failed; for other outcomes the last trouble that cost messages, if any. */
  readonly error?: MqbError
  readonly counts: RouteCounts
  readonly abandoned: number
  readonly elapsedMs: number
}
