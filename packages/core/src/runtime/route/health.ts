import type { Batch } from '../../contract/consumer.ts'
import type { Clock } from '../../contract/opening.ts'
import type { Outcomes } from '../../contract/outcome.ts'
import type { MqbError } from '../../errors/mqb-error.ts'
import { isNotSent } from '../../errors/not-sent.ts'
import { ALL_ACKED } from '../../outcome/all-acked.ts'
import type { DropLog } from './drop-log.ts'
import { isHeldBack } from './flow.ts'

/** Remembers what went well and what went wrong lately. */
export class Health {
  /** When the output took something last; milliseconds since the Unix epoch. */
  lastSuccessMs: number | undefined
  /** Failures so far that left messages with their source, or kept an end from opening. */
  failures = 0
  lastFailure: MqbError | undefined
  /** Outcomes that were failures of any kind, each try of a message counted. Never goes back. */
  failedOutcomes = 0
  /** Why messages stay with their source although both ends are there; gone with the next ack. */
  blockedBy: MqbError | undefined
  /** Messages that failed for good. */
  dropped = 0
  lastDrop: MqbError | undefined
  /** Nothing of the last batch got through, and all of it for good. */
  lastBatchDropped = false
  private readonly clock: Clock
  private readonly drops: DropLog

  constructor(clock: Clock, drops: DropLog) {
    this.clock = clock
    this.drops = drops
  }

  /** @returns the first failure that leaves its message with the source because of what the output said. */
  answered(batch: Batch, outcomes: Outcomes): MqbError | undefined {
    if (outcomes === ALL_ACKED) {
      this.succeeded()
      return undefined
    }
    let acked = false
    let dropped = 0
    let failed: MqbError | undefined
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.kind !== 'failure') {
        acked = true
        continue
      }
      if (!isHeldBack(outcome.error) && !isNotSent(outcome.error)) this.failedOutcomes += 1
      if (outcome.error.kind === 'permanent') {
        dropped += 1
        this.lastDrop = outcome.error
        this.drops.drop(batch.messages[index]!, outcome.error)
      } else if (failed === undefined && !isHeldBack(outcome.error) && !isNotSent(outcome.error))
        failed = outcome.error
    }
    this.dropped += dropped
    this.lastBatchDropped = dropped === outcomes.length
    if (acked) this.succeeded()
    if (failed !== undefined) {
      this.failed(failed)
      if (failed.kind !== 'connection') this.blockedBy = failed
    }
    return failed
  }

  failed(error: MqbError): void {
    this.failures += 1
    this.lastFailure = error
  }

  private succeeded(): void {
    this.lastSuccessMs = this.clock.now()
    this.blockedBy = undefined
    this.lastBatchDropped = false
  }
}
