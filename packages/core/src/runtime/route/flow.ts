import { emptyBatch } from '../../batch/merge.ts'
import type { Batch } from '../../contract/consumer.ts'
import type { Clock } from '../../contract/opening.ts'
import type { Outcome, Outcomes } from '../../contract/outcome.ts'
import type { Publisher } from '../../contract/publisher.ts'
import { MqbError } from '../../errors/mqb-error.ts'
import { toMqbError } from '../../errors/normalize.ts'
import { notSentError } from '../../errors/not-sent.ts'
import type { Message } from '../../message/message.ts'
import { ALL_ACKED } from '../../outcome/all-acked.ts'
import { failure, outcomeList, repeat } from '../../outcome/outcome.ts'
import { messageCount } from '../shell/message-count.ts'
import { allFailed, checkedAnswer, firstUnsettledError } from '../shell/outcome-scan.ts'
import type { DeliveryLimit } from './delivery-limit.ts'
import { type Handler, handleBatch, mergeOutcomes } from './handler.ts'

export interface FlowHooks {
  /** The output or the handler has answered for a batch. */
  answered(batch: Batch, outcomes: Outcomes): void
  /** The source is not sure about a commit. */
  commitFailed(error: MqbError): void
  /** A slot, bytes or a commit became free. */
  changed(): void
}

export interface FlowOptions {
  readonly path: string
  readonly output: Publisher
  /** The output keeps the order of sends. */
  readonly ordered: boolean
  readonly handler: Handler | undefined
  readonly limit: DeliveryLimit | undefined
  readonly concurrency: number
  /** With so many commits on their way nothing more is received; the shell of the leaf makes no more at once. */
  readonly commitConcurrency: number
  readonly maxBytes: number
  readonly clock: Clock
  /** The hard deadline of all sends. */
  readonly deadline: AbortSignal
  readonly hooks: FlowHooks
}

interface InFlight {
  /** The empty batch once it is done with: see `release`. */
  batch: Batch
  readonly bytes: number
  readonly epoch: number
  readonly startedMs: number
  sent: boolean
  abandoned: boolean
  brokeOrder: boolean
}

const limitReached = 'MQB_LIMIT_REACHED'

/** Takes batches through handler, output and commit, with bounded work side by side. */
export class Flow {
  private readonly options: FlowOptions
  private readonly entries = new Set<InFlight>()
  private readonly plain: boolean
  private sending = 0
  private committing = 0
  private bytes = 0
  // Commits that leave messages with the source: on an ordered output nothing is received before they are applied.
  private returning = 0
  private turn: Promise<void> = Promise.resolve()
  private idleWaiters: { readonly of: 'sends' | 'all'; readonly resolve: () => void }[] = []
  /** Counts failures that broke the order: what was received before one must not be sent after it. */
  epoch = 0

  constructor(options: FlowOptions) {
    this.options = options
    this.plain = options.handler === undefined && options.limit === undefined
  }

  get hasRoom(): boolean {
    const { concurrency, commitConcurrency, maxBytes, ordered } = this.options
    return (
      this.sending < concurrency &&
      this.committing < commitConcurrency &&
      (this.bytes < maxBytes || this.entries.size === 0) &&
      !(ordered && this.returning > 0)
    )
  }

  get isIdle(): boolean {
    return this.entries.size === 0
  }

  get outstandingCommits(): number {
    return this.entries.size - this.sending
  }

  /** When the send that has waited longest was started. */
  get oldestSendMs(): number | undefined {
    for (const entry of this.entries) if (!entry.sent) return entry.startedMs
    return undefined
  }

  /** Starts a batch; what follows happens by itself. */
  deliver(batch: Batch, epoch: number): void {
    const bytes = payloadBytes(batch)
    const startedMs = this.options.clock.monotonic()
    const entry: InFlight = {
      batch,
      bytes,
      epoch,
      startedMs,
      sent: false,
      abandoned: false,
      brokeOrder: false,
    }
    this.entries.add(entry)
    this.bytes += bytes
    this.sending += 1
    void this.run(entry)
  }

  /** Hands a batch back to the source that nobody will send. */
  giveBack(batch: Batch, error: MqbError): void {
    const startedMs = this.options.clock.monotonic()
    const entry: InFlight = {
      batch,
      bytes: 0,
      epoch: this.epoch,
      startedMs,
      sent: true,
      abandoned: false,
      brokeOrder: false,
    }
    this.entries.add(entry)
    void this.commit(entry, allFailed(error, messageCount(batch)))
  }

  /** Resolves when no send is in flight, or nothing at all. */
  whenDone(of: 'sends' | 'all'): Promise<void> {
    if (this.isDone(of)) return Promise.resolve()
    return new Promise(resolve => {
      this.idleWaiters.push({ of, resolve })
    })
  }

  /** Gives up on the sends that have not answered; their answers are ignored and their batches never committed. */
  abandonSends(): number {
    let messages = 0
    for (const entry of this.entries) {
      if (entry.sent) continue
      entry.abandoned = true
      messages += messageCount(entry.batch)
      this.release(entry)
      this.sending -= 1
    }
    this.changed()
    return messages
  }

  private async run(entry: InFlight): Promise<void> {
    const { batch } = entry
    let outcomes: Outcomes
    try {
      outcomes = await (this.plain ? this.sendPlain(entry) : this.sendHandled(batch.messages, entry))
    } catch (thrown) {
      outcomes = allFailed(toMqbError(thrown, 'retryable', this.options.path), messageCount(batch))
    }
    if (entry.abandoned) return
    entry.sent = true
    this.sending -= 1
    const unsettled = firstUnsettledError(outcomes)
    if (unsettled !== undefined) this.breakOrder(entry)
    this.options.hooks.answered(batch, outcomes)
    await this.commit(entry, outcomes, unsettled !== undefined)
  }

  private async commit(entry: InFlight, outcomes: Outcomes, unsettled = false): Promise<void> {
    if (unsettled) this.returning += 1
    this.committing += 1
    this.changed()
    try {
      await entry.batch.commit(outcomes)
    } catch (thrown) {
      this.options.hooks.commitFailed(toMqbError(thrown, 'connection', this.options.path))
    }
    if (unsettled) this.returning -= 1
    this.committing -= 1
    this.release(entry)
    this.changed()
  }

  /**
   * Lets go of a batch. A container that lives long is old to the garbage collector, and so are the tables that it has
   * outgrown; whatever such a table still names, if only a finished entry, survives until the next full collection, and
   * with it the slabs of its messages.
   */
  private release(entry: InFlight): void {
    this.entries.delete(entry)
    this.bytes -= entry.bytes
    entry.batch = emptyBatch
  }

  private sendPlain(entry: InFlight): Promise<Outcomes> {
    const { output, deadline } = this.options
    const { packed } = entry.batch
    const answer =
      packed !== undefined && this.maySend(entry) ? output.sendPacked?.(packed, deadline) : undefined
    if (packed === undefined || answer === undefined) return this.send(entry.batch.messages, entry)
    return this.follow(answer, packed.count, entry)
  }

  private maySend(entry: InFlight): boolean {
    return entry.epoch === this.epoch && !entry.abandoned
  }

  private async send(messages: readonly Message[], entry: InFlight): Promise<Outcomes> {
    if (!this.maySend(entry)) return allFailed(notSentError(), messages.length)
    return this.follow(this.options.output.send(messages, this.options.deadline), messages.length, entry)
  }

  /** The first to hear of an answer: what broke the order is known before anything else can be sent. */
  private async follow(answer: Promise<Outcomes>, count: number, entry: InFlight): Promise<Outcomes> {
    try {
      const outcomes = checkedAnswer(await answer, count, this.options.path)
      if (firstUnsettledError(outcomes) !== undefined) this.breakOrder(entry)
      return outcomes
    } catch (thrown) {
      const error = toMqbError(thrown, 'retryable', this.options.path)
      if (error.kind !== 'permanent') this.breakOrder(entry)
      throw error
    }
  }

  private breakOrder(entry: InFlight): void {
    if (!this.options.ordered || entry.brokeOrder) return
    entry.brokeOrder = true
    this.epoch += 1
  }

  private async sendHandled(batch: readonly Message[], entry: InFlight): Promise<Outcomes> {
    const { handler, ordered, path, deadline } = this.options
    const turn = ordered ? this.takeTurn() : undefined
    try {
      if (handler === undefined) {
        await turn?.before
        return await this.sendLimited(batch, entry)
      }
      const handled = await handleBatch(batch, { handler, where: path, ordered, signal: deadline })
      await turn?.before
      if (handled.messages.length === 0) return handled.outcomes as readonly Outcome[]
      let sent: Outcomes
      try {
        const answer = this.sendLimited(handled.messages, entry)
        if (this.options.limit === undefined) turn?.done()
        sent = await answer
      } catch (thrown) {
        sent = allFailed(toMqbError(thrown, 'retryable', path), handled.messages.length)
      }
      return mergeOutcomes(batch, handled, sent)
    } finally {
      turn?.done()
    }
  }

  private async sendLimited(messages: readonly Message[], entry: InFlight): Promise<Outcomes> {
    const { limit, ordered, path } = this.options
    if (limit === undefined) return this.send(messages, entry)
    const outcomes: Outcome[] = []
    while (outcomes.length < messages.length) {
      const from = outcomes.length
      const rest = messages.length - from
      const places = await limit.reserve(rest)
      if (places === 0) {
        outcomes.push(...repeat(failure(limitReachedError()), rest))
        break
      }
      const part = places === messages.length ? messages : messages.slice(from, from + places)
      let sent: Outcomes
      try {
        sent = await this.send(part, entry)
      } catch (thrown) {
        sent = allFailed(toMqbError(thrown, 'retryable', path), places)
      }
      limit.settle(places, deliveredIn(sent, places))
      for (const outcome of outcomeList(sent, places)) outcomes.push(outcome)
      const failed = ordered ? firstUnsettledError(sent) : undefined
      if (failed === undefined) continue
      outcomes.push(...repeat(failure(notSentError(failed)), messages.length - outcomes.length))
    }
    return outcomes
  }

  /** Batches may be handled side by side, but on an ordered output they are sent in the order of their receives. */
  private takeTurn(): { before: Promise<void>; done: () => void } {
    const before = this.turn
    let done = (): void => {}
    this.turn = new Promise(resolve => {
      done = resolve
    })
    return { before, done }
  }

  private isDone(of: 'sends' | 'all'): boolean {
    return of === 'sends' ? this.sending === 0 : this.entries.size === 0
  }

  private changed(): void {
    if (this.idleWaiters.length > 0) {
      const done = this.idleWaiters.filter(waiter => this.isDone(waiter.of))
      this.idleWaiters = this.idleWaiters.filter(waiter => !done.includes(waiter))
      for (const { resolve } of done) resolve()
    }
    this.options.hooks.changed()
  }
}

function deliveredIn(outcomes: Outcomes, count: number): number {
  if (outcomes === ALL_ACKED) return count
  let delivered = 0
  for (const outcome of outcomes)
    if (outcome.kind === 'reply' || (outcome.kind === 'ack' && outcome.as === 'delivered')) delivered += 1
  return delivered
}

function limitReachedError(): MqbError {
  return new MqbError({
    kind: 'retryable',
    code: limitReached,
    what: 'the limit of messages was reached, so this one stays with the source',
  })
}

/** Whether a message only stayed behind because of what happened to others. */
export function isHeldBack(error: MqbError): boolean {
  return error.code === limitReached
}

function payloadBytes(batch: Batch): number {
  if (batch.packed !== undefined) return batch.packed.byteLength
  let bytes = 0
  for (const message of batch.messages) bytes += message.end - message.start
  return bytes
}
