import type { Batch, Consumer } from '../../contract/consumer.ts'
import type { Clock } from '../../contract/opening.ts'
import { MqbError } from '../../errors/mqb-error.ts'
import { toMqbError } from '../../errors/normalize.ts'
import { notSentError } from '../../errors/not-sent.ts'
import { EndOfStream, Gap } from '../../errors/signals.ts'
import type { Accounting } from '../accounting.ts'
import type { Backoff } from '../backoff.ts'
import { messageCount } from '../shell/message-count.ts'
import { checkedBatch } from '../shell/plugin-values.ts'
import type { Supervisor } from '../shell/supervisor.ts'
import type { Flow } from './flow.ts'
import { batchBytes } from './run-options.ts'
import type { Wake } from './wake.ts'

/** Pause before a source is asked again for its first message (`waitMs`). */
const firstMessagePollMs = 250
/** Pause of a drain that only waits for something that an input middleware holds. */
const drainPollMs = 50
/** The event loop gets a turn at least this often, so that timers and signals work under any load. */
const turnMs = 10

const { setImmediate: nextTurn } = globalThis

export interface PullLoopOptions {
  readonly path: string
  readonly input: Consumer
  readonly flow: Flow
  readonly supervisor: Supervisor
  readonly accounting: Accounting
  readonly clock: Clock
  readonly backoff: Backoff
  readonly wake: Wake
  /** Aborts when nothing more is to be received. */
  readonly stopSignal: AbortSignal
  readonly batchSize: number
  readonly emptyBatchDelayMs: number
  readonly drain: boolean
  readonly waitMs: number
  /** Asks the output to hold nothing back. */
  readonly flush: () => void
  /** The input had an error after which it goes on. */
  readonly troubled: (error: MqbError) => void
}

/** Receives batches and hands them to the flow, until the source has ended, is drained, or a stop. */
export class PullLoop {
  private readonly options: PullLoopOptions
  private readonly waitUntilMs: number
  private sawMessage = false
  private returnedBefore = 0
  private lastTurnMs = 0

  constructor(options: PullLoopOptions) {
    this.options = options
    this.waitUntilMs = options.clock.monotonic() + options.waitMs
  }

  /**
   * Resolves when the source has nothing more; at a stop too.
   *
   * @throws {MqbError} kinds `permanent` and `config`: the source will never deliver again.
   */
  async run(): Promise<void> {
    const { stopSignal, input, flow, accounting, batchSize } = this.options
    const limit = { messages: batchSize, bytes: batchBytes }
    while (await this.mayReceive()) {
      const { epoch } = flow
      // Nothing may have been nacked since the receive before this one for an empty answer to mean "drained".
      const returned = accounting.returned
      const clean = returned === this.returnedBefore
      this.returnedBefore = returned
      let batch: Batch | undefined
      try {
        // Also what the middlewares around the leaf have made of it.
        batch = checkedBatch(await input.receive(limit, stopSignal))
      } catch (thrown) {
        if (stopSignal.aborted) return
        if (!EndOfStream.is(thrown)) {
          await this.recover(thrown)
          continue
        }
      }
      if (batch !== undefined && messageCount(batch) > 0) await this.take(batch, epoch)
      else if (await this.isDrained(batch === undefined, clean)) return
    }
  }

  private async mayReceive(): Promise<boolean> {
    const { stopSignal, flow, supervisor, wake } = this.options
    const now = performance.now()
    if (now - this.lastTurnMs > turnMs) {
      await new Promise<void>(resolve => nextTurn(resolve))
      this.lastTurnMs = performance.now()
    }
    while (!stopSignal.aborted && !(flow.hasRoom && supervisor.allReady)) await wake.wait()
    return !stopSignal.aborted
  }

  private async take(batch: Batch, epoch: number): Promise<void> {
    const { flow, supervisor, stopSignal, wake, backoff } = this.options
    this.sawMessage = true
    backoff.reset()
    // An output was lost while the source was being asked: the batch waits for it instead of failing.
    while (!supervisor.allReady && !stopSignal.aborted && epoch === flow.epoch) await wake.wait()
    if (supervisor.allReady && epoch === flow.epoch) flow.deliver(batch, epoch)
    else flow.giveBack(batch, notSentError())
  }

  private async recover(thrown: unknown): Promise<void> {
    const { path, troubled, backoff, supervisor } = this.options
    const error = Gap.is(thrown)
      ? new MqbError({
          kind: 'connection',
          code: 'MQB_GAP',
          where: path,
          what: thrown.message,
          cause: thrown,
        })
      : toMqbError(thrown, 'connection', path)
    if (error.kind === 'permanent' || error.kind === 'config') throw error
    troubled(error)
    // A lost leaf makes its own pauses; this is for what a middleware throws.
    if (supervisor.allReady) await this.pause(backoff.next())
  }

  private async isDrained(ended: boolean, clean: boolean): Promise<boolean> {
    const { flow, accounting, clock, drain, waitMs, emptyBatchDelayMs } = this.options
    const { flush, stopSignal, wake } = this.options
    if (!drain && !ended) {
      await this.pause(emptyBatchDelayMs)
      return false
    }
    if (waitMs > 0 && !this.sawMessage) {
      const leftMs = this.waitUntilMs - clock.monotonic()
      if (leftMs > 0) {
        await this.pause(Math.min(leftMs, firstMessagePollMs))
        return false
      }
    }
    if (clean && accounting.returned === this.returnedBefore && flow.isIdle && accounting.inFlight === 0)
      return true
    flush()
    if (flow.isIdle) await this.pause(drainPollMs)
    while (!flow.isIdle && !stopSignal.aborted) await wake.wait()
    return false
  }

  private async pause(ms: number): Promise<void> {
    const { clock, stopSignal } = this.options
    if (ms <= 0) {
      await new Promise<void>(resolve => nextTurn(resolve))
      return
    }
    try {
      await clock.sleep(ms, stopSignal)
    } catch {
      // The loop looks at the signal itself.
    }
  }
}
