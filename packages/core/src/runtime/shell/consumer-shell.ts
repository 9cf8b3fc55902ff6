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
import { firstUnsettled } from './outcome-scan.ts'
import type { ShellSettings } from './settings.ts'
import { SignalWatch } from './signal-watch.ts'
import { Slots } from './slots.ts'
import type { SupervisedShell } from './supervisor.ts'

interface Waiter {
  readonly limit: ReceiveLimit
  readonly signal: AbortSignal
  readonly resolve: (batch: Batch) => void
  readonly reject: (reason: unknown) => void
}

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
  private readonly sequencer: CommitSequencer | undefined
  private readonly backoff: Backoff
  private readonly commitSlots: Slots
  private readonly pausesAfterNack: boolean
  private readonly watch = new SignalWatch(signal => this.stopWaiting(signal))
  private waiter: Waiter | undefined
  // The generation in which the leaf answers a receive; it may outlive the caller who stopped waiting.
  private receiving: number | undefined
  private onReceiveEnded: (() => void) | undefined
  // The leaf gets a signal of the shell's own, for the shell has reasons of its own to end its waiting.
  private leafStop = new AbortController()
  private arrived: { batch: Batch; generation: number } | undefined
  private failed: { reason: unknown } | undefined
  private handedOut = 0
  private inFlight = 0
  private pausedUntil = 0
  private pausedFor = -1
  private cancelPause: (() => void) | undefined
  private pinned = false

  constructor(options: ConsumerShellOptions) {
    const { plan, opening, capMs, random } = options
    this.options = options
    this.path = plan.path
    this.backoff = new Backoff({ capMs, random })
    this.commitSlots = new Slots(options.commitConcurrency)
    this.pausesAfterNack = plan.leafCapabilities.replies !== 'yes'
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
          options.supervisor.changed()
          this.pump()
        },
        lost: error => options.supervisor.troubled(error),
        ended: error => {
          this.rejectWaiter(error)
          options.supervisor.ended(error)
        },
        quiet: () => Promise.resolve(),
      },
    })
    this.sequencer =
      plan.leafCapabilities.commitOrder === 'ordered'
        ? new CommitSequencer({
            apply: (batch, outcomes, applied) => this.apply(batch, outcomes, applied),
            stale: batch => this.returnStale(batch),
            unsettled: batch => this.giveBack(batch),
            rewinds: plan.leafCapabilities.rewinds === true,
            interrupt: () => this.interrupt(),
            restart: () => this.restart(),
          })
        : undefined
    options.supervisor.add(this)
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
    if (this.waiter !== undefined)
      return Promise.reject(new TypeError('receive was called while another receive was waiting'))
    if (signal.aborted) return Promise.reject(signal.reason)
    if (this.life.fatal !== undefined) return Promise.reject(this.life.fatal)
    this.watch.follow(signal)
    return new Promise((resolve, reject) => {
      this.waiter = { limit, signal, resolve, reject }
      this.pump()
    })
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
    if (!this.life.isClosed) {
      this.options.accounting.giveBack(this.inFlight)
      this.inFlight = 0
      this.watch.stop()
      this.cancelPause?.()
      this.rejectWaiter(closedError())
      this.sequencer?.close(closedError())
      this.arrived = undefined
      const closed = this.life.close(closedError())
      this.options.supervisor.remove(this)
      return closed
    }
    return this.life.close(closedError())
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

  private async openLeaf(): Promise<Consumer> {
    const { plan, opening } = this.options
    const leaf = await plan.definition.openConsumer!(plan.config, opening)
    if (this.pinned) await leaf.pin()
    return leaf
  }

  /** Asks the leaf for the waiter, unless something is in the way that will call again. */
  private pump(): void {
    const waiter = this.waiter
    if (waiter === undefined) return
    if (this.failed !== undefined) {
      const { reason } = this.failed
      this.failed = undefined
      this.rejectWaiter(reason)
      return
    }
    const { leaf, generation } = this.life
    if (leaf === undefined) return
    if (this.arrived !== undefined) {
      const { batch } = this.arrived
      this.arrived = undefined
      this.handOut(batch, generation)
      return
    }
    if (this.receiving === generation || this.sequencer?.restartPending === true) return
    const pause = this.pausedUntil - this.options.opening.clock.monotonic()
    if (pause > 0) {
      this.cancelPause?.()
      this.cancelPause = this.options.opening.clock.timer(pause, () => this.pump())
      return
    }
    this.receiving = generation
    const { limit } = waiter
    const { signal } = this.leafStop
    callSafely(() => leaf.receive(limit, signal)).then(
      batch => this.onBatch(batch, generation),
      thrown => this.onThrown(thrown, generation, signal),
    )
  }

  private onBatch(batch: Batch, generation: number): void {
    this.receiveEnded(generation)
    // A batch of a leaf that is being replaced goes back to the source with it.
    if (generation === this.life.generation && this.sequencer?.restartPending !== true) {
      if (this.waiter !== undefined) {
        this.handOut(batch, generation)
        return
      }
      if (batch.messages.length > 0) this.arrived = { batch, generation }
    }
    this.pump()
  }

  private onThrown(thrown: unknown, generation: number, signal: AbortSignal): void {
    this.receiveEnded(generation)
    // An aborted leaf throws all sorts of things. What matters will be thrown again, the end and final errors apart.
    const matters = EndOfStream.is(thrown) || Gap.is(thrown) || isFinal(thrown)
    const stoppedWaiting = signal.aborted && (thrown === signal.reason || !matters)
    if (stoppedWaiting || generation !== this.life.generation) {
      this.pump()
      return
    }
    let reason = thrown
    if (!EndOfStream.is(thrown)) {
      const error = Gap.is(thrown) ? gapError(thrown, this.path) : toMqbError(thrown, 'connection', this.path)
      if (!Gap.is(thrown)) reason = error
      if (error.kind === 'connection') this.lose(error, generation)
      if (error.kind === 'retryable') this.pause()
    }
    if (this.waiter === undefined) this.failed = { reason }
    else this.rejectWaiter(reason)
  }

  private handOut(leafBatch: Batch, generation: number): void {
    const waiter = this.waiter!
    this.waiter = undefined
    const batch = new HandedBatch(leafBatch, generation, this.handedOut, this)
    if (batch.count > 0) {
      this.handedOut += 1
      this.inFlight += batch.count
      this.options.accounting.handOut(batch.count)
      this.sequencer?.add(batch)
    }
    waiter.resolve(batch)
  }

  private rejectWaiter(reason: unknown): void {
    const waiter = this.waiter
    this.waiter = undefined
    waiter?.reject(reason)
  }

  private stopWaiting(signal: AbortSignal): void {
    if (this.waiter?.signal !== signal) return
    this.cancelPause?.()
    this.rejectWaiter(signal.reason)
    if (this.receiving === this.life.generation) this.stopLeaf(signal.reason)
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
    if (firstUnsettled(outcomes) === -1) {
      this.backoff.reset()
      this.life.worked()
    }
  }

  private lose(error: MqbError, generation: number): void {
    if (generation !== this.life.generation) return
    this.life.fail(error, generation)
    this.forgetGeneration()
  }

  private restart(): void {
    this.forgetGeneration()
    if (this.options.plan.leafCapabilities.rewinds === true) {
      this.life.rewind()
      this.pump()
      return
    }
    this.life.restart({ reopen: !this.options.supervisor.isEnding })
    this.options.supervisor.changed()
  }

  // What a receive that is under way hands out afterwards would come before the messages that the leaf goes back to.
  private async interrupt(): Promise<void> {
    if (this.receiving !== this.life.generation) return
    this.stopLeaf(closedError('the input goes back to an earlier message'))
    await new Promise<void>(resolve => {
      this.onReceiveEnded = resolve
    })
  }

  private stopLeaf(reason: unknown): void {
    const stop = this.leafStop
    this.leafStop = new AbortController()
    stop.abort(reason)
  }

  private receiveEnded(generation: number): void {
    if (this.receiving !== generation) return
    this.receiving = undefined
    this.interrupted()
  }

  private interrupted(): void {
    this.onReceiveEnded?.()
    this.onReceiveEnded = undefined
  }

  private forgetGeneration(): void {
    this.arrived = undefined
    this.interrupted()
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

  // Batches that were out together fail together: they make one pause, not one step each.
  private pauseAfter(batch: HandedBatch): void {
    if (!this.pausesAfterNack || batch.number <= this.pausedFor) return
    this.pausedFor = this.handedOut - 1
    this.pause()
  }

  private pause(): void {
    this.pausedUntil = this.options.opening.clock.monotonic() + this.backoff.next()
  }
}

function isFinal(thrown: unknown): boolean {
  return MqbError.is(thrown) && (thrown.kind === 'permanent' || thrown.kind === 'config')
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

/** Also a synchronous throw becomes a rejection. */
async function callSafely<T>(call: () => Promise<T>): Promise<T> {
  return call()
}
