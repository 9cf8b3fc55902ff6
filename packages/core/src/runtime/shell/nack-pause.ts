import type { Clock } from '../../contract/opening.ts'
import type { Backoff } from '../backoff.ts'
import type { HandedBatch } from './handed-batch.ts'

/** The pause before the next receive after messages were left with their source. */
export class NackPause {
  private readonly clock: Clock
  private readonly backoff: Backoff
  private untilMs = 0
  private madeFor = -1

  constructor(clock: Clock, backoff: Backoff) {
    this.clock = clock
    this.backoff = backoff
  }

  /** How long a receive has to wait yet. */
  get leftMs(): number {
    return this.untilMs - this.clock.monotonic()
  }

  /**
   * Batches that were out together fail together: they make one pause, not one step each.
   *
   * @param handedOut how many batches were handed out so far.
   */
  after(batch: HandedBatch, handedOut: number): void {
    if (batch.number <= this.madeFor) return
    this.madeFor = handedOut - 1
    this.begin()
  }

  begin(): void {
    this.untilMs = this.clock.monotonic() + this.backoff.next()
  }

  /** A batch was settled as a whole: the next pause starts small again. */
  reset(): void {
    this.backoff.reset()
  }
}
