import type { Outcomes } from '../../contract/outcome.ts'
import type { Publisher } from '../../contract/publisher.ts'
import type { EndpointStatus } from '../../contract/status.ts'
import { closedError } from '../../errors/closed.ts'
import type { MqbError } from '../../errors/mqb-error.ts'
import { toMqbError } from '../../errors/normalize.ts'
import { notSentError } from '../../errors/not-sent.ts'
import type { Message } from '../../message/message.ts'
import { allFailed, firstUnsettledError } from './outcome-scan.ts'
import { SignalWatch } from './signal-watch.ts'

interface Queued {
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
  readonly resolve: (outcomes: Outcomes) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Keeps the order of an output: sends run one after another, and what is queued behind a send that left a message
 * unsettled is answered `retryable` without being sent, so that nothing overtakes that message.
 */
export class SerialPublisher implements Publisher {
  private readonly inner: Publisher
  private readonly queue: Queued[] = []
  private busy: AbortSignal | undefined
  private turn = 0
  private closed = false
  private readonly watch = new SignalWatch(signal => this.giveUp(signal))

  constructor(inner: Publisher) {
    this.inner = inner
  }

  send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    if (this.closed) return Promise.reject(closedError())
    if (this.busy === undefined) return this.run(messages, signal)
    // Only a send that others wait for needs to be watched: one that is aborted and never answers must not hold them.
    this.watch.follow(this.busy)
    return new Promise((resolve, reject) => {
      this.queue.push({ messages, signal, resolve, reject })
    })
  }

  flush(): Promise<void> {
    return this.inner.flush()
  }

  status(): EndpointStatus {
    return this.inner.status()
  }

  close(): Promise<void> {
    this.closed = true
    this.watch.stop()
    for (const { reject } of this.queue.splice(0)) reject(closedError())
    return this.inner.close()
  }

  private async run(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    const turn = ++this.turn
    this.busy = signal
    try {
      const outcomes = await this.inner.send(messages, signal)
      if (turn === this.turn) this.next(firstUnsettledError(outcomes))
      return outcomes
    } catch (thrown) {
      if (turn === this.turn) this.next(toMqbError(thrown, 'retryable'))
      throw thrown
    }
  }

  private next(failed: MqbError | undefined): void {
    this.busy = undefined
    if (failed !== undefined) {
      this.returnQueued(failed)
      return
    }
    const queued = this.queue.shift()
    if (queued === undefined) return
    this.run(queued.messages, queued.signal).then(queued.resolve, queued.reject)
    if (this.queue.length > 0) this.watch.follow(queued.signal)
  }

  private returnQueued(cause: MqbError): void {
    const error = notSentError(cause)
    for (const { messages, resolve } of this.queue.splice(0)) resolve(allFailed(error, messages.length))
  }

  /** The answer of an aborted send is ignored, so whatever waits behind it need not wait. */
  private giveUp(signal: AbortSignal): void {
    if (this.busy !== signal) return
    this.turn += 1
    this.next(toMqbError(signal.reason, 'retryable'))
  }
}
