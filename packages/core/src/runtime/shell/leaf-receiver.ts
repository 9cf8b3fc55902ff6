import type { Batch, Consumer, ReceiveLimit } from '../../contract/consumer.ts'
import type { Clock } from '../../contract/opening.ts'
import { closedError } from '../../errors/closed.ts'
import { MqbError } from '../../errors/mqb-error.ts'
import { EndOfStream, Gap } from '../../errors/signals.ts'
import { messageCount } from './message-count.ts'
import { checkedBatch } from './plugin-values.ts'
import { SignalWatch } from './signal-watch.ts'

interface Waiter {
  readonly limit: ReceiveLimit
  readonly signal: AbortSignal
  readonly resolve: (batch: Batch) => void
  readonly reject: (reason: unknown) => void
}

export interface ReceiverHooks {
  /** The open leaf, if there is one, and which opening it is. */
  current(): { readonly leaf: Consumer | undefined; readonly generation: number }
  /** What the leaf would hand over now would come again. */
  isGoingBack(): boolean
  /** Milliseconds that have to pass before the leaf may be asked. */
  pauseMs(): number
  /** Makes the batch that the caller gets. */
  handOut(batch: Batch, generation: number): Batch
  /** The leaf threw something that the caller is to see; returns what exactly. */
  thrown(reason: unknown, generation: number): unknown
}

/**
 * Asks a leaf for batches on behalf of one caller at a time. The caller may stop waiting, and the leaf may be replaced
 * or told to go back, while it is being asked: nothing is lost, calls at the leaf never overlap, and no batch of a
 * replaced leaf is handed out.
 */
export class LeafReceiver {
  private readonly clock: Clock
  private readonly hooks: ReceiverHooks
  private readonly watch = new SignalWatch(signal => this.stopWaiting(signal))
  private waiter: Waiter | undefined
  // The generation in which the leaf is being asked; that may outlast the caller.
  private asking: number | undefined
  // The leaf gets a signal of our own, for there are reasons of our own to end its waiting.
  private stop = new AbortController()
  private onAnswered: (() => void) | undefined
  // What came after its caller had stopped waiting; the next one gets it.
  private arrived: { batch: Batch; generation: number } | undefined
  private failed: { reason: unknown } | undefined
  private cancelPause: (() => void) | undefined

  constructor(clock: Clock, hooks: ReceiverHooks) {
    this.clock = clock
    this.hooks = hooks
  }

  receive(limit: ReceiveLimit, signal: AbortSignal): Promise<Batch> {
    if (this.waiter !== undefined)
      return Promise.reject(new TypeError('receive was called while another receive was waiting'))
    if (signal.aborted) return Promise.reject(signal.reason)
    this.watch.follow(signal)
    return new Promise((resolve, reject) => {
      this.waiter = { limit, signal, resolve, reject }
      this.pump()
    })
  }

  /** Serves the waiting caller, unless something is in the way whose end calls this again. */
  pump(): void {
    const { waiter, hooks } = this
    if (waiter === undefined) return
    if (this.failed !== undefined) {
      const { reason } = this.failed
      this.failed = undefined
      this.reject(reason)
      return
    }
    const { leaf, generation } = hooks.current()
    if (leaf === undefined) return
    if (this.arrived !== undefined) {
      const { batch } = this.arrived
      this.arrived = undefined
      this.resolve(batch, generation)
      return
    }
    if (this.asking === generation || hooks.isGoingBack()) return
    const pause = hooks.pauseMs()
    if (pause > 0) {
      this.cancelPause?.()
      this.cancelPause = this.clock.timer(pause, () => this.pump())
      return
    }
    this.ask(leaf, generation, waiter.limit)
  }

  /** Rejects the waiting caller, if there is one. */
  reject(reason: unknown): void {
    const waiter = this.waiter
    this.waiter = undefined
    waiter?.reject(reason)
  }

  /** Resolves when the leaf is not being asked any more; what it brings meanwhile is not handed out. */
  async interrupt(): Promise<void> {
    if (this.asking !== this.hooks.current().generation) return
    this.stopLeaf(closedError('the input goes back to an earlier message'))
    await new Promise<void>(resolve => {
      this.onAnswered = resolve
    })
  }

  /** The leaf was replaced, or went back: what it brought before has no meaning any more. */
  forget(): void {
    this.arrived = undefined
    this.answered()
  }

  close(reason: unknown): void {
    this.watch.stop()
    this.cancelPause?.()
    this.arrived = undefined
    this.reject(reason)
  }

  private ask(leaf: Consumer, generation: number, limit: ReceiveLimit): void {
    this.asking = generation
    const { signal } = this.stop
    askLeaf(leaf, limit, signal).then(
      batch => this.onBatch(batch, generation),
      thrown => this.onThrown(thrown, generation, signal),
    )
  }

  private onBatch(batch: Batch, generation: number): void {
    this.ended(generation)
    // A batch of a leaf that is replaced or goes back stays with the source.
    if (generation === this.hooks.current().generation && !this.hooks.isGoingBack()) {
      if (this.waiter !== undefined) {
        this.resolve(batch, generation)
        return
      }
      if (messageCount(batch) > 0) this.arrived = { batch, generation }
    }
    this.pump()
  }

  private onThrown(thrown: unknown, generation: number, signal: AbortSignal): void {
    this.ended(generation)
    // An aborted leaf throws all sorts of things. What matters will be thrown again, the end and final errors apart.
    const matters = EndOfStream.is(thrown) || Gap.is(thrown) || isFinal(thrown)
    const stoppedWaiting = signal.aborted && (thrown === signal.reason || !matters)
    if (stoppedWaiting || generation !== this.hooks.current().generation) {
      this.pump()
      return
    }
    const reason = this.hooks.thrown(thrown, generation)
    if (this.waiter === undefined) this.failed = { reason }
    else this.reject(reason)
  }

  private resolve(batch: Batch, generation: number): void {
    const waiter = this.waiter!
    this.waiter = undefined
    waiter.resolve(this.hooks.handOut(batch, generation))
  }

  private stopWaiting(signal: AbortSignal): void {
    if (this.waiter?.signal !== signal) return
    this.cancelPause?.()
    this.reject(signal.reason)
    if (this.asking === this.hooks.current().generation) this.stopLeaf(signal.reason)
  }

  private stopLeaf(reason: unknown): void {
    const { stop } = this
    this.stop = new AbortController()
    stop.abort(reason)
  }

  private ended(generation: number): void {
    if (this.asking !== generation) return
    this.asking = undefined
    this.answered()
  }

  private answered(): void {
    this.onAnswered?.()
    this.onAnswered = undefined
  }
}

function isFinal(thrown: unknown): boolean {
  return MqbError.is(thrown) && (thrown.kind === 'permanent' || thrown.kind === 'config')
}

/** Also a synchronous throw becomes a rejection, and so does an answer that is no batch. */
async function askLeaf(leaf: Consumer, limit: ReceiveLimit, signal: AbortSignal): Promise<Batch> {
  return checkedBatch(await leaf.receive(limit, signal))
}
