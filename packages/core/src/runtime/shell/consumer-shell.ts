import type { Batch, Consumer, ReceiveLimit } from '../../contract/consumer.ts'
import type { Opening } from '../../contract/opening.ts'
import type { Outcomes } from '../../contract/outcome.ts'
import type { EndpointStatus } from '../../contract/status.ts'
import { closedError } from '../../errors/closed.ts'
import { MqbError } from '../../errors/mqb-error.ts'
import { toMqbError } from '../../errors/normalize.ts'
import { EndOfStream, Gap } from '../../errors/signals.ts'
import type { EndpointPlan } from '../../plan/plan.ts'
import type { Accounting } from '../accounting.ts'
import { Backoff } from '../backoff.ts'
import type { CounterMap } from '../counters.ts'
import { CommitSequencer } from './commit-sequencer.ts'
import { type CommitTarget, HandedBatch } from './handed-batch.ts'
import { LeafLifecycle } from './leaf-lifecycle.ts'
import { LeafReceiver } from './leaf-receiver.ts'
import { NackPause } from './nack-pause.ts'
import { firstUnsettled } from './outcome-scan.ts'
import { checkedConsumer } from './plugin-values.ts'
import type { ShellSettings } from './settings.ts'
import { Slots } from './slots.ts'
import type { SupervisedShell } from './supervisor.ts'

export interface ConsumerShellOptions extends ShellSettings {
  readonly plan: EndpointPlan<'input'>
  /** The same object at every opening of the leaf: what a leaf must remember across openings may hang on it. */
  readonly opening: Opening
  readonly counters: CounterMap
  readonly accounting: Accounting
}

/**
 * Stands around one leaf consumer. It keeps the leaf open, hands its batches out under a number, applies their
 * commits in the order that the source needs, counts what became of every message, and pauses after a nack.
 */
export class ConsumerShell implements Consumer, SupervisedShell, CommitTarget {
  readonly path: string
  private readonly options: ConsumerShellOptions
  private readonly life: LeafLifecycle<Consumer>
  private readonly receiver: LeafReceiver
  private readonly sequencer: CommitSequencer | undefined
  private readonly pause: NackPause
  private readonly commitSlots: Slots
  private readonly rewinds: boolean
  private readonly pausesAfterNack: boolean
  private handedOut = 0
  private inFlight = 0
  private pinned = false

  constructor(options: ConsumerShellOptions) {
    const { plan, opening, capMs, random, supervisor } = options
    const { commitOrder, replies, rewinds } = plan.leafCapabilities
    this.options = options
    this.path = plan.path
    this.rewinds = rewinds === true
    this.pausesAfterNack = replies !== 'yes'
    this.pause = new NackPause(opening.clock, new Backoff({ capMs, random }))
    this.commitSlots = new Slots(options.commitConcurrency)
    this.life = new LeafLifecycle({
      path: plan.path,
      target: plan.target,
      clock: opening.clock,
      log: opening.log,
      capMs,
      random,
      open: () => this.openLeaf(),
      hooks: {
        ready: () => {
          supervisor.changed()
          this.receiver.pump()
        },
        lost: error => supervisor.troubled(error),
        ended: error => {
          this.receiver.reject(error)
          supervisor.ended(error)
        },
        quiet: () => Promise.resolve(),
      },
    })
    this.receiver = new LeafReceiver(opening.clock, {
      current: () => this.life,
      isGoingBack: () => this.sequencer?.restartPending === true,
      pauseMs: () => this.pause.leftMs,
      handOut: (batch, generation) => this.handOut(batch, generation),
      thrown: (reason, generation) => this.thrown(reason, generation),
    })
    this.sequencer = commitOrder === 'ordered' ? this.createSequencer() : undefined
    supervisor.add(this)
    this.life.start()
  }

  get isReady(): boolean {
    return this.life.leaf !== undefined
  }

  get lastError(): MqbError | undefined {
    return this.life.lastError
  }

  get reconnects(): number {
    return this.life.reconnects
  }

  get stuckCommits(): number {
    return this.sequencer?.waiting ?? 0
  }

  receive(limit: ReceiveLimit, signal: AbortSignal): Promise<Batch> {
    if (this.life.isClosed) return Promise.reject(closedError())
    if (this.life.fatal !== undefined) return Promise.reject(this.life.fatal)
    return this.receiver.receive(limit, signal)
  }

  async pin(): Promise<void> {
    this.pinned = true
    const { leaf, generation } = this.life
    if (leaf === undefined) return
    try {
      await leaf.pin()
    } catch (thrown) {
      const error = toMqbError(thrown, 'connection', this.path)
      if (error.kind === 'connection') this.lose(error, generation)
      throw error
    }
  }

  status(): EndpointStatus {
    const status = this.life.status()
    if (this.options.counters.isEmpty) return status
    return { ...status, details: { ...status.details, ...this.options.counters.toRecord() } }
  }

  close(): Promise<void> {
    const first = !this.life.isClosed
    if (first) {
      this.options.accounting.giveBack(this.inFlight)
      this.inFlight = 0
      this.receiver.close(closedError())
      this.sequencer?.close(closedError())
    }
    const closed = this.life.close(closedError())
    if (first) this.options.supervisor.remove(this)
    return closed
  }

  commit(batch: HandedBatch, outcomes: Outcomes): Promise<void> {
    if (this.life.isClosed) return Promise.reject(closedError())
    if (batch.generation !== this.life.generation) {
      this.returnStale(batch)
      return Promise.resolve()
    }
    if (firstUnsettled(outcomes) !== -1) this.pauseAfter(batch)
    return this.sequencer === undefined
      ? this.applyUnordered(batch, outcomes)
      : this.sequencer.submit(batch, outcomes)
  }

  private createSequencer(): CommitSequencer {
    return new CommitSequencer({
      rewinds: this.rewinds,
      interrupt: () => this.receiver.interrupt(),
      apply: (batch, outcomes, applied) => this.apply(batch, outcomes, applied),
      stale: batch => this.returnStale(batch),
      unsettled: batch => this.giveBack(batch),
      restart: () => this.restart(),
    })
  }

  private async openLeaf(): Promise<Consumer> {
    const { plan, opening } = this.options
    const leaf = checkedConsumer(await plan.definition.openConsumer!(plan.config, opening), plan.path)
    if (this.pinned) await leaf.pin()
    return leaf
  }

  private handOut(leafBatch: Batch, generation: number): Batch {
    const batch = new HandedBatch(leafBatch, generation, this.handedOut, this)
    if (batch.count > 0) {
      this.handedOut += 1
      this.inFlight += batch.count
      this.options.accounting.handOut(batch.count)
      this.sequencer?.add(batch)
    }
    return batch
  }

  private thrown(thrown: unknown, generation: number): unknown {
    if (EndOfStream.is(thrown)) return thrown
    if (Gap.is(thrown)) {
      this.lose(gapError(thrown, this.path), generation)
      return thrown
    }
    const error = toMqbError(thrown, 'connection', this.path)
    if (error.kind === 'connection') this.lose(error, generation)
    if (error.kind === 'retryable') this.pause.begin()
    return error
  }

  // Ordered commits come one at a time anyway. A limit above them could be used up by commits that wait for their turn.
  private async applyUnordered(batch: HandedBatch, outcomes: Outcomes): Promise<void> {
    const room = this.commitSlots.take()
    try {
      if (room !== undefined) {
        await room
        if (this.life.isClosed) throw closedError()
        if (batch.generation !== this.life.generation) {
          this.returnStale(batch)
          return
        }
      }
      await this.apply(batch, outcomes, batch.count)
    } finally {
      this.commitSlots.release()
    }
  }

  private async apply(batch: HandedBatch, outcomes: Outcomes, applied: number): Promise<void> {
    try {
      await batch.leafBatch.commit(outcomes)
    } catch (thrown) {
      const error = toMqbError(thrown, 'connection', this.path)
      this.giveBack(batch)
      this.pauseAfter(batch)
      if (error.kind === 'permanent' || error.kind === 'config') this.options.supervisor.ended(error)
      else this.lose(error, batch.generation)
      throw error
    }
    if (this.life.isClosed) throw closedError()
    this.inFlight -= batch.count
    this.options.accounting.settle(outcomes, batch.count, applied)
    if (firstUnsettled(outcomes) !== -1) return
    this.pause.reset()
    this.life.worked()
  }

  private lose(error: MqbError, generation: number): void {
    if (generation !== this.life.generation) return
    this.life.fail(error, generation)
    this.forgetGeneration()
  }

  /** The next receive begins at the committed position. */
  private restart(): void {
    this.forgetGeneration()
    if (this.rewinds) {
      this.life.rewind()
      this.receiver.pump()
      return
    }
    this.life.restart({ reopen: !this.options.supervisor.isEnding })
    this.options.supervisor.changed()
  }

  private forgetGeneration(): void {
    this.receiver.forget()
    this.sequencer?.abandon()
  }

  private returnStale(batch: HandedBatch): void {
    this.options.opening.log.debug(
      `a commit of ${batch.count} messages came for an opening that has ended; they come again`,
      { code: 'MQB_STALE_COMMIT' },
    )
    this.giveBack(batch)
  }

  private giveBack(batch: HandedBatch): void {
    if (this.life.isClosed) return
    this.inFlight -= batch.count
    this.options.accounting.giveBack(batch.count)
  }

  private pauseAfter(batch: HandedBatch): void {
    if (this.pausesAfterNack) this.pause.after(batch, this.handedOut)
  }
}

function gapError(gap: Gap, where: string): MqbError {
  return new MqbError({
    kind: 'connection',
    code: 'MQB_GAP',
    where,
    what: gap.message,
    mend: 'the field `position_lost` says what follows',
    cause: gap,
  })
}
