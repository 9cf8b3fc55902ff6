import type { Logger } from '../../contract/logger.ts'
import type { Clock } from '../../contract/opening.ts'
import type { EndpointStatus } from '../../contract/status.ts'
import type { MqbError } from '../../errors/mqb-error.ts'
import { toMqbError } from '../../errors/normalize.ts'
import { Backoff } from '../backoff.ts'
import { closeWithin } from './close-within.ts'

/** What both kinds of leaf have in common. */
export interface Leaf {
  status(): EndpointStatus
  close(): Promise<void>
}

/** Told what happens to a leaf. All are called synchronously. */
export interface LifecycleHooks {
  /** The leaf is open, for the first time or again. */
  ready(): void
  /** The leaf is gone, or an attempt to open it failed; opening goes on. */
  lost(error: MqbError): void
  /** It can never be opened: kinds `config` and `permanent`. */
  ended(error: MqbError): void
  /** Resolves when calls that run on the old leaf have ended, so that it may be closed. */
  quiet(): Promise<void>
}

export interface LifecycleOptions<L extends Leaf> {
  readonly path: string
  readonly target: string
  readonly clock: Clock
  readonly log: Logger
  readonly capMs: number
  readonly random: () => number
  readonly open: () => Promise<L>
  readonly hooks: LifecycleHooks
}

/** Opens one leaf, and opens it again whenever it is lost, with growing pauses, until it is closed. */
export class LeafLifecycle<L extends Leaf> {
  /** Counts openings: what belongs to an older generation has no meaning for the source any more. */
  generation = 0
  /** The open leaf; absent while there is none. */
  leaf: L | undefined
  /** Why there is no leaf, or what was wrong last. */
  lastError: MqbError | undefined
  /** Why there will never be one again. */
  fatal: MqbError | undefined
  /** How often it was opened again after it had been lost. */
  reconnects = 0
  private readonly options: LifecycleOptions<L>
  private readonly backoff: Backoff
  private readonly closing = new AbortController()
  private connecting: Promise<void> | undefined
  private attempt: Promise<void> | undefined
  private closed: Promise<void> | undefined
  private wasLost = false
  private finalStatus: EndpointStatus | undefined

  constructor(options: LifecycleOptions<L>) {
    this.options = options
    this.backoff = new Backoff({ capMs: options.capMs, random: options.random })
  }

  get isClosed(): boolean {
    return this.closed !== undefined
  }

  /** Begins to open; does not wait. */
  start(): void {
    this.connect(undefined, false)
  }

  /** The leaf of this generation is gone. Later reports about the same generation change nothing. */
  fail(error: MqbError, generation: number): void {
    if (generation !== this.generation || this.leaf === undefined || this.isClosed) return
    this.lastError = error
    this.wasLost = true
    const old = this.retire()
    this.options.log.warn(`${this.options.target} was lost and is opened again: ${error.message}`, {
      code: error.code,
    })
    this.options.hooks.lost(error)
    this.connect(old, true)
  }

  /** Ends the generation of a leaf that goes back to its committed position by itself. */
  rewind(): void {
    if (this.leaf !== undefined && !this.isClosed) this.generation += 1
  }

  /**
   * Ends the generation although nothing is wrong with the leaf, so that the next one begins at the committed position.
   *
   * @param reopen false when the route ends and nobody will receive again.
   */
  restart({ reopen }: { reopen: boolean }): void {
    if (this.leaf === undefined || this.isClosed) return
    const old = this.retire()
    if (reopen) this.connect(old, false)
    else this.connecting = old === undefined ? undefined : this.closeLeaf(old)
  }

  /** Something got through: pauses start small again. */
  worked(): void {
    this.backoff.reset()
    this.lastError = undefined
  }

  /** Resolves when the attempt to open that runs now has ended; at once when none runs. */
  async attemptEnded(): Promise<void> {
    await this.attempt
  }

  status(): EndpointStatus {
    const { target } = this.options
    const error = this.lastError === undefined ? {} : { error: this.lastError.message }
    if (this.leaf === undefined) return this.finalStatus ?? { healthy: false, target, ...error }
    try {
      return this.leaf.status()
    } catch (thrown) {
      return { healthy: false, target, error: toMqbError(thrown, 'connection').message }
    }
  }

  /** Ends within 5 s whatever the leaf does. */
  close(reason: MqbError): Promise<void> {
    this.closed ??= this.closeNow(reason)
    return this.closed
  }

  private async closeNow(reason: MqbError): Promise<void> {
    if (this.leaf !== undefined) this.finalStatus = this.status()
    const old = this.retire()
    this.closing.abort(reason)
    await closeWithin({
      what: this.options.target,
      clock: this.options.clock,
      log: this.options.log,
      close: async () => {
        await Promise.all([old?.close(), this.connecting])
      },
    })
  }

  private retire(): L | undefined {
    const old = this.leaf
    this.leaf = undefined
    this.generation += 1
    return old
  }

  private connect(old: L | undefined, pauseFirst: boolean): void {
    const before = this.connecting
    this.connecting = (async () => {
      await before
      await this.replace(old, pauseFirst)
    })().finally(() => {
      this.attempt = undefined
    })
  }

  private async replace(old: L | undefined, pauseFirst: boolean): Promise<void> {
    if (old !== undefined) {
      await this.options.hooks.quiet()
      await this.closeLeaf(old)
    }
    let pause = pauseFirst
    while (!this.closing.signal.aborted) {
      if (pause && !(await this.pause())) return
      pause = true
      this.attempt = this.tryOpen()
      await this.attempt
      if (this.leaf !== undefined || this.fatal !== undefined) return
    }
  }

  private async tryOpen(): Promise<void> {
    const { hooks, log, path, target } = this.options
    try {
      const leaf = await this.options.open()
      if (this.closing.signal.aborted) {
        await this.closeLeaf(leaf)
        return
      }
      this.leaf = leaf
    } catch (thrown) {
      if (this.closing.signal.aborted) return
      const error = toMqbError(thrown, 'connection', path)
      const again = this.lastError?.message === error.message
      this.lastError = error
      if (error.kind === 'config' || error.kind === 'permanent') {
        this.fatal = error
        hooks.ended(error)
        return
      }
      log[again ? 'debug' : 'warn'](`${target} could not be opened: ${error.message}`, { code: error.code })
      hooks.lost(error)
      return
    }
    if (this.wasLost) this.reconnects += 1
    this.wasLost = false
    this.attempt = undefined
    hooks.ready()
  }

  private async pause(): Promise<boolean> {
    try {
      await this.options.clock.sleep(this.backoff.next(), this.closing.signal)
      return true
    } catch {
      return false
    }
  }

  private closeLeaf(leaf: L): Promise<void> {
    const { clock, log, target } = this.options
    return closeWithin({ what: target, clock, log, close: () => leaf.close() })
  }
}
