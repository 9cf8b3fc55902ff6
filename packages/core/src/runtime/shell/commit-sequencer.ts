import type { Outcome, Outcomes } from '../../contract/outcome.ts'
import { notSentError } from '../../errors/not-sent.ts'
import { ALL_ACKED } from '../../outcome/all-acked.ts'
import { failure, settles } from '../../outcome/outcome.ts'
import type { HandedBatch } from './handed-batch.ts'
import { firstUnsettled } from './outcome-scan.ts'

interface Entry {
  // Let go of when it is done with, as `Flow.release` explains.
  batch: HandedBatch | undefined
  outcomes: Outcomes | undefined
  resolve: () => void
  reject: (reason: unknown) => void
}

export interface SequencerHooks {
  /**
   * Commits at the leaf and counts. `applied` outcomes, from the first on, are settled; those behind them are failures.
   * Rejects when the leaf is not sure; then the input has been lost and `abandon` was called.
   */
  apply(batch: HandedBatch, outcomes: Outcomes, applied: number): Promise<void>
  /** The batch belongs to an opening that has ended; it counts as returned. */
  stale(batch: HandedBatch): void
  /** Nothing of the batch can be applied; it counts as returned. */
  unsettled(batch: HandedBatch): void
  /** The leaf goes back by itself: it is told of every commit, and must not be waiting for messages meanwhile. */
  readonly rewinds: boolean
  /** Resolves when the leaf has stopped waiting for messages. */
  interrupt(): Promise<void>
  /** The next receive has to begin at the committed position. */
  restart(): void
}

const nothing = (): void => {}

/**
 * Applies the commits of an ordered input one at a time, in the order in which the batches were handed out. The
 * first message that is not settled ends the generation: what is younger moves nothing, or a position would pass it.
 */
export class CommitSequencer {
  private readonly hooks: SequencerHooks
  private entries: Entry[] = []
  private applying = false
  private ending = false

  constructor(hooks: SequencerHooks) {
    this.hooks = hooks
  }

  /** A restart is on its way: what the source hands over now would come again. */
  get restartPending(): boolean {
    return this.ending
  }

  /** Batches with outcomes that wait behind one without. */
  get waiting(): number {
    if (this.applying) return 0
    return this.entries.reduce((sum, entry) => sum + (entry.outcomes === undefined ? 0 : 1), 0)
  }

  add(batch: HandedBatch): void {
    this.entries.push({ batch, outcomes: undefined, resolve: nothing, reject: nothing })
  }

  submit(batch: HandedBatch, outcomes: Outcomes): Promise<void> {
    const entry = this.entries.find(candidate => candidate.batch === batch)
    if (entry === undefined) throw new TypeError('the batch was not handed out by this leaf')
    entry.outcomes = outcomes
    if (firstUnsettled(outcomes) !== -1) this.ending = true
    return new Promise((resolve, reject) => {
      entry.resolve = resolve
      entry.reject = reject
      this.advance()
    })
  }

  /** Begins anew with the next generation: everything that is not applied stays with the source. */
  abandon(): void {
    this.ending = false
    for (const entry of this.entries.splice(0)) {
      if (entry.batch === undefined || entry.outcomes === undefined) continue
      this.hooks.stale(entry.batch)
      entry.resolve()
    }
  }

  /** The shell closes: nothing more can be applied. */
  close(reason: unknown): void {
    for (const entry of this.entries.splice(0)) entry.reject(reason)
  }

  private advance(): void {
    const entry = this.entries[0]
    if (this.applying || entry?.batch === undefined || entry.outcomes === undefined) return
    this.entries.shift()
    this.applying = true
    const { batch } = entry
    entry.batch = undefined
    this.applyBatch(batch, entry.outcomes).then(
      () => this.applied(entry.resolve),
      reason => this.applied(() => entry.reject(reason)),
    )
  }

  private applied(settle: () => void): void {
    this.applying = false
    settle()
    this.advance()
  }

  private async applyBatch(batch: HandedBatch, outcomes: Outcomes): Promise<void> {
    const unsettled = firstUnsettled(outcomes)
    if (unsettled === -1) {
      await this.hooks.apply(batch, outcomes, batch.count)
      return
    }
    if (this.hooks.rewinds) await this.hooks.interrupt()
    if (unsettled === 0 && !this.hooks.rewinds) this.hooks.unsettled(batch)
    else await this.hooks.apply(batch, leadingRun(outcomes, unsettled), unsettled)
    this.abandon()
    this.hooks.restart()
  }
}

// The acks behind the first unsettled message are taken back: a source that commits by position cannot skip it.
function leadingRun(outcomes: Outcomes, length: number): readonly Outcome[] {
  if (outcomes === ALL_ACKED) return []
  const behind = failure(notSentError())
  return outcomes.map((outcome, index) => (index < length || !settles(outcome) ? outcome : behind))
}
