import { ALL_ACKED, type Message, type Outcome, type Outcomes, outcomeAt, outcomeList } from '@mqb/core'

/** One `send` that waits for its answer: how much of it was taken into batches, and what became of that. */
export class Entry {
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
  /** By the monotonic clock, when it was handed in. */
  readonly arrivedMs: number
  readonly answer: Promise<Outcomes>
  /** Messages that went into a batch. */
  taken = 0
  /** Nobody waits for it any more. */
  done = false
  #answered = 0
  // Absent while everything was acked as a whole.
  #outcomes: Outcome[] | undefined
  #resolve: (outcomes: Outcomes) => void = () => {}
  #reject: (reason: unknown) => void = () => {}
  readonly #onEnd: (entry: Entry) => void

  /** @param onEnd called once, when nobody waits for it any more. */
  constructor(
    messages: readonly Message[],
    signal: AbortSignal,
    arrivedMs: number,
    onEnd: (entry: Entry) => void,
  ) {
    this.messages = messages
    this.signal = signal
    this.arrivedMs = arrivedMs
    this.#onEnd = onEnd
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** Messages that still wait for a batch. */
  get remaining(): number {
    return this.messages.length - this.taken
  }

  /** What became of the next `count` messages, in order. Resolves the call when all are answered. */
  settle(outcomes: Outcomes, offset: number, count: number): void {
    if (this.done) return
    if (count === this.messages.length && (outcomes === ALL_ACKED || outcomes.length === count)) {
      this.#end()
      this.#resolve(outcomes)
      return
    }
    if (outcomes !== ALL_ACKED || this.#outcomes !== undefined) {
      this.#outcomes ??= outcomeList(ALL_ACKED, this.messages.length).slice()
      for (let index = 0; index < count; index++)
        this.#outcomes[this.#answered + index] = outcomeAt(outcomes, offset + index)
    }
    this.#answered += count
    if (this.#answered < this.messages.length) return
    this.#end()
    this.#resolve(this.#outcomes ?? ALL_ACKED)
  }

  fail(reason: unknown): void {
    if (this.done) return
    this.#end()
    this.#reject(reason)
  }

  #end(): void {
    this.done = true
    this.#onEnd(this)
  }
}
