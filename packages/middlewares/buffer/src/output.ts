import {
  ALL_ACKED,
  assertOutcomeCount,
  type Clock,
  closedError,
  type EndpointStatus,
  failure,
  type Message,
  type MqbError,
  notSentError,
  type Outcomes,
  outcomeAt,
  type Publisher,
  repeat,
  settles,
  toMqbError,
} from '@mqb/core'
import type { BufferConfig } from './config.ts'
import { createDeadlines } from './deadlines.ts'
import { Entry } from './entry.ts'

/** What a batch took from one call. */
interface Part {
  readonly entry: Entry
  readonly start: number
  readonly count: number
}

interface Flight {
  readonly parts: readonly Part[]
  readonly controller: AbortController
}

/**
 * Sends what several calls hand in as one batch, one batch at a time, and gives each call the outcomes of its own
 * messages. A call is only cut into several batches when it alone has more than `max_messages`.
 */
export class OutputBuffer implements Publisher {
  readonly #inner: Publisher
  readonly #config: BufferConfig
  readonly #clock: Clock
  readonly #deadlines = createDeadlines<Entry>(entry => this.#drop(entry))
  // In order of arrival. Calls that were taken as a whole are in `#flight` only.
  #queue: Entry[] = []
  #queued = 0
  // That many messages at the head of the queue wait for nothing but the batch in flight.
  #due = 0
  // A flush says that somebody waits for everything: what follows it closely does not wait for company either.
  #hurryUntilMs = Number.NEGATIVE_INFINITY
  #flight: Flight | undefined
  #cancelTimer: (() => void) | undefined
  #closed = false

  constructor(inner: Publisher, config: BufferConfig, clock: Clock) {
    this.#inner = inner
    this.#config = config
    this.#clock = clock
  }

  async send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    if (this.#closed) throw closedError()
    signal.throwIfAborted()
    if (messages.length === 0) return ALL_ACKED
    const nowMs = this.#clock.monotonic()
    const entry = new Entry(messages, signal, nowMs, ended => this.#deadlines.remove(signal, ended))
    this.#deadlines.add(signal, entry)
    this.#queue.push(entry)
    this.#queued += messages.length
    const { max_messages, max_delay_ms } = this.#config
    if (this.#queued >= max_messages || max_delay_ms === 0 || nowMs < this.#hurryUntilMs) this.#release()
    else this.#armTimer()
    return entry.answer
  }

  async flush(): Promise<void> {
    this.#hurryUntilMs = this.#clock.monotonic() + this.#config.max_delay_ms
    this.#release()
    await this.#inner.flush()
  }

  status(): EndpointStatus {
    const status = this.#inner.status()
    return this.#queued === 0 ? status : { ...status, details: { ...status.details, buffered: this.#queued } }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#clearTimer()
    const waiting = this.#queue
    this.#queue = []
    this.#queued = 0
    this.#due = 0
    for (const entry of waiting) entry.fail(closedError())
    await this.#inner.close()
  }

  /** Nothing that is in the queue waits for company any longer. */
  #release(): void {
    this.#due = this.#queued
    this.#clearTimer()
    this.#next()
  }

  #next(): void {
    if (this.#flight !== undefined || this.#due === 0 || this.#closed) return
    const parts = this.#take()
    this.#armTimer()
    const controller = new AbortController()
    this.#flight = { parts, controller }
    void this.#fly(parts, controller.signal)
  }

  /** Fills a batch from the head of the queue, also with messages whose delay is not over. */
  #take(): Part[] {
    const parts: Part[] = []
    let room = this.#config.max_messages
    let whole = 0
    for (const entry of this.#queue) {
      const count = Math.min(entry.remaining, room)
      // A call that fits into a batch of its own is not cut: its caller would wait for two.
      if (count < entry.remaining && parts.length > 0) break
      parts.push({ entry, start: entry.taken, count })
      entry.taken += count
      room -= count
      if (entry.remaining > 0) break
      whole++
      if (room === 0) break
    }
    if (whole > 0) this.#queue.splice(0, whole)
    this.#shrink(this.#config.max_messages - room)
    return parts
  }

  async #fly(parts: readonly Part[], signal: AbortSignal): Promise<void> {
    const messages = gather(parts)
    try {
      const outcomes = await this.#inner.send(messages, signal)
      assertOutcomeCount(outcomes, messages.length)
      let offset = 0
      for (const part of parts) {
        part.entry.settle(outcomes, offset, part.count)
        this.#stopAfterFailure(part, firstUnsettled(outcomes, offset, part.count))
        offset += part.count
      }
    } catch (thrown) {
      for (const part of parts) this.#failPart(part, thrown)
    }
    this.#flight = undefined
    this.#next()
  }

  #failPart({ entry, count }: Part, thrown: unknown): void {
    if (count === entry.messages.length) {
      entry.fail(thrown)
      return
    }
    const error = toMqbError(thrown, 'retryable')
    entry.settle(repeat(failure(error), count), 0, count)
    this.#stopAfterFailure({ entry, start: 0, count }, error.kind === 'permanent' ? undefined : error)
  }

  /** The rest of a call stays unsent when a part failed that will come again: it would overtake that part. */
  #stopAfterFailure({ entry }: Part, error: MqbError | undefined): void {
    const rest = entry.remaining
    if (error === undefined || rest === 0 || entry.done) return
    this.#remove(entry)
    entry.settle(repeat(failure(notSentError(error)), rest), 0, rest)
  }

  /** The deadline of a call passed. What was not sent stays unsent; a batch in flight goes on while others wait for it. */
  #drop(entry: Entry): void {
    this.#remove(entry)
    entry.fail(entry.signal.reason)
    const flight = this.#flight
    if (flight?.parts.every(part => part.entry.done)) flight.controller.abort(entry.signal.reason)
  }

  #remove(entry: Entry): void {
    const at = this.#queue.indexOf(entry)
    if (at === -1) return
    this.#queue.splice(at, 1)
    let before = 0
    for (let index = 0; index < at; index++) before += this.#queue[index]!.remaining
    const wasDue = Math.max(0, Math.min(entry.remaining, this.#due - before))
    this.#queued -= entry.remaining
    this.#due -= wasDue
    if (this.#queue.length === 0) this.#clearTimer()
  }

  #shrink(taken: number): void {
    this.#queued -= taken
    this.#due = Math.max(0, this.#due - taken)
    this.#clearTimer()
  }

  /** Fires when the oldest call that is not due yet has waited long enough. */
  #armTimer(): void {
    if (this.#cancelTimer !== undefined || this.#closed || this.#due === this.#queued) return
    let before = 0
    const oldest = this.#queue.find(entry => {
      before += entry.remaining
      return before > this.#due
    })
    if (oldest === undefined) return
    const waited = this.#clock.monotonic() - oldest.arrivedMs
    this.#cancelTimer = this.#clock.timer(Math.max(0, this.#config.max_delay_ms - waited), () => {
      this.#cancelTimer = undefined
      this.#release()
    })
  }

  #clearTimer(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }
}

function gather(parts: readonly Part[]): readonly Message[] {
  const only = parts.length === 1 ? parts[0] : undefined
  if (only !== undefined)
    return only.count === only.entry.messages.length
      ? only.entry.messages
      : only.entry.messages.slice(only.start, only.start + only.count)
  const messages: Message[] = []
  for (const { entry, start, count } of parts)
    for (let index = start; index < start + count; index++) messages.push(entry.messages[index]!)
  return messages
}

function firstUnsettled(outcomes: Outcomes, offset: number, count: number): MqbError | undefined {
  if (outcomes === ALL_ACKED) return undefined
  for (let index = offset; index < offset + count; index++) {
    const outcome = outcomeAt(outcomes, index)
    if (outcome.kind === 'failure' && !settles(outcome)) return outcome.error
  }
  return undefined
}
