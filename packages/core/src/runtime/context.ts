import type { Logger } from '../contract/logger.ts'
import type { Clock, Secrets } from '../contract/opening.ts'
import type { OpenStore } from './opening.ts'

/** What a route needs from whoever runs it. */
export interface RuntimeContext {
  readonly clock: Clock
  readonly log: Logger
  readonly secrets: Secrets
  /** From 0 to below 1; the jitter of pauses. */
  readonly random: () => number
  readonly openStore: OpenStore
  /** How long a drain waits for a silent source that does not know its end. */
  readonly drainIdleMs: number
  /** Stamp `mqb.src.*` metadata on every input. */
  readonly sourceMetadata: boolean
}
