import type { Opening } from '../../contract/opening.ts'
import type { Outcomes } from '../../contract/outcome.ts'
import type { PackedMessages } from '../../contract/packed.ts'
import type { Publisher } from '../../contract/publisher.ts'
import type { EndpointStatus } from '../../contract/status.ts'
import { closedError } from '../../errors/closed.ts'
import { MqbError } from '../../errors/mqb-error.ts'
import { toMqbError } from '../../errors/normalize.ts'
import type { Message } from '../../message/message.ts'
import type { EndpointPlan } from '../../plan/plan.ts'
import type { CounterMap } from '../counters.ts'
import { LeafLifecycle } from './leaf-lifecycle.ts'
import { checkedAnswer, connectionErrorIn } from './outcome-scan.ts'
import { checkedPublisher } from './plugin-values.ts'
import type { ShellSettings } from './settings.ts'
import type { SupervisedShell } from './supervisor.ts'

/** How long sends on a lost leaf may still take to answer before it is closed under them. */
const graceMs = 5000

interface PendingSend {
  readonly generation: number
  readonly reject: (reason: unknown) => void
}

export interface PublisherShellOptions extends ShellSettings {
  readonly plan: EndpointPlan<'output'>
  /** The same object at every opening of the leaf. */
  readonly opening: Opening
  readonly counters: CounterMap
}

/**
 * Stands around one leaf publisher: keeps it open, checks its answers, turns whatever it throws into an `MqbError`
 * that says where, and reopens it after a failure of kind `connection`.
 */
export class PublisherShell implements Publisher, SupervisedShell {
  readonly path: string
  private readonly options: PublisherShellOptions
  private readonly life: LeafLifecycle<Publisher>
  private readonly pending = new Set<PendingSend>()
  private quietWaiters: (() => void)[] = []

  constructor(options: PublisherShellOptions) {
    const { plan, opening, capMs, random, supervisor } = options
    this.options = options
    this.path = plan.path
    this.life = new LeafLifecycle<Publisher>({
      path: plan.path,
      target: plan.target,
      clock: opening.clock,
      log: opening.log,
      capMs,
      random,
      open: async () =>
        checkedPublisher(await plan.definition.openPublisher!(plan.config, opening), plan.path),
      hooks: {
        ready: () => supervisor.changed(),
        lost: error => supervisor.troubled(error),
        ended: error => supervisor.ended(error),
        quiet: () => this.quiet(),
      },
    })
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
    return 0
  }

  send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    if (this.life.isClosed) return Promise.reject(closedError())
    const { leaf } = this.life
    return leaf === undefined ? this.sendWhenOpen(messages, signal) : this.sendOn(leaf, messages, signal)
  }

  sendPacked(packed: PackedMessages, signal: AbortSignal): Promise<Outcomes> | undefined {
    const { leaf } = this.life
    if (this.life.isClosed || leaf?.sendPacked === undefined) return undefined
    let answer: Promise<Outcomes> | undefined
    try {
      answer = leaf.sendPacked(packed, signal)
    } catch (thrown) {
      answer = Promise.reject(thrown)
    }
    return answer === undefined ? undefined : this.follow(answer, packed.count)
  }

  async flush(): Promise<void> {
    try {
      await this.life.leaf?.flush()
    } catch (thrown) {
      throw toMqbError(thrown, 'retryable', this.path)
    }
  }

  status(): EndpointStatus {
    const status = this.life.status()
    if (this.options.counters.isEmpty) return status
    return { ...status, details: { ...status.details, ...this.options.counters.toRecord() } }
  }

  close(): Promise<void> {
    const first = !this.life.isClosed
    const closed = this.life.close(closedError())
    if (first) {
      for (const { reject } of this.pending) reject(closedError())
      this.pending.clear()
      this.becomeQuiet()
      this.options.supervisor.remove(this)
    }
    return closed
  }

  private sendOn(leaf: Publisher, messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    let answer: Promise<Outcomes>
    try {
      answer = leaf.send(messages, signal)
    } catch (thrown) {
      answer = Promise.reject(thrown)
    }
    return this.follow(answer, messages.length)
  }

  /** Checks what comes back, and takes a lost connection as such. */
  private follow(answer: Promise<Outcomes>, count: number): Promise<Outcomes> {
    const { generation } = this.life
    return new Promise((resolve, reject) => {
      const send: PendingSend = { generation, reject }
      this.pending.add(send)
      const onThrown = (thrown: unknown): void => {
        this.ended(send)
        const error = toMqbError(thrown, 'retryable', this.path)
        if (error.kind === 'connection') this.life.fail(error, generation)
        reject(error)
      }
      const onAnswer = (answered: Outcomes): void => {
        try {
          const outcomes = checkedAnswer(answered, count, this.path)
          this.ended(send)
          const lost = connectionErrorIn(outcomes)
          if (lost === undefined) this.life.worked()
          else this.life.fail(lost, generation)
          resolve(outcomes)
        } catch (thrown) {
          onThrown(thrown)
        }
      }
      answer.then(onAnswer, onThrown)
    })
  }

  /** Waits for an attempt to open that runs now, not for the attempts after it: the route does the waiting. */
  private async sendWhenOpen(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    await this.life.attemptEnded()
    const { leaf, fatal, lastError } = this.life
    if (leaf !== undefined) return this.sendOn(leaf, messages, signal)
    if (this.life.isClosed) throw closedError()
    if (fatal !== undefined) throw fatal
    throw new MqbError({
      kind: 'connection',
      code: lastError?.code ?? 'MQB_NOT_OPEN',
      where: this.path,
      what: lastError === undefined ? 'the output is not open' : `the output is not open: ${lastError.what}`,
      ...(lastError?.mend === undefined ? {} : { mend: lastError.mend }),
      ...(lastError === undefined ? {} : { cause: lastError }),
    })
  }

  private ended(send: PendingSend): void {
    this.pending.delete(send)
    if (this.quietWaiters.length > 0 && !this.hasPendingBefore(this.life.generation)) this.becomeQuiet()
  }

  private hasPendingBefore(generation: number): boolean {
    for (const send of this.pending) if (send.generation < generation) return true
    return false
  }

  /** Sends on the lost leaf may end by themselves; what has not answered after 5 s is told that it is gone. */
  private async quiet(): Promise<void> {
    if (!this.hasPendingBefore(this.life.generation)) return
    const cancel = this.options.opening.clock.timer(graceMs, () => {
      const error = this.lastError ?? closedError('the connection was lost')
      for (const send of this.pending) {
        if (send.generation >= this.life.generation) continue
        this.pending.delete(send)
        send.reject(error)
      }
      this.becomeQuiet()
    })
    await new Promise<void>(resolve => {
      this.quietWaiters.push(resolve)
    })
    cancel()
  }

  private becomeQuiet(): void {
    for (const resolve of this.quietWaiters.splice(0)) resolve()
  }
}
