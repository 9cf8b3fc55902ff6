import { setImmediate } from 'node:timers/promises'
import {
  assertOutcomeCount,
  type Batch,
  type Consumer,
  closedError,
  EndOfStream,
  type EndpointStatus,
  Message,
  type Opening,
  type Outcomes,
  outcomeAt,
  type ReceiveLimit,
  settles,
} from '@mqb/core'
import type { StaticContent } from './render.ts'

/** A source that never ends; in a drain it hands out one batch and ends. */
export class StaticConsumer implements Consumer {
  private readonly content: StaticContent
  private readonly drain: boolean
  /** Messages that failed for now: they come again, before new ones. */
  private readonly again: Message[] = []
  private produced = 0
  private ended = false
  private closed = false

  constructor(content: StaticContent, opening: Pick<Opening, 'drain'>) {
    this.content = content
    this.drain = opening.drain
  }

  async receive(limit: ReceiveLimit, signal: AbortSignal): Promise<Batch> {
    if (this.closed) throw closedError()
    signal.throwIfAborted()
    // A source that always has something would keep timers and signals from ever being seen.
    await setImmediate()
    if (this.closed) throw closedError()
    signal.throwIfAborted()
    const messages = limit.messages < 1 ? [] : this.next(limit)
    return { messages, commit: outcomes => this.commit(messages, outcomes) }
  }

  pin(): Promise<void> {
    return Promise.resolve()
  }

  status(): EndpointStatus {
    return { healthy: !this.closed, target: 'static', details: { produced: this.produced } }
  }

  close(): Promise<void> {
    this.closed = true
    return Promise.resolve()
  }

  private next(limit: ReceiveLimit): readonly Message[] {
    if (this.again.length > 0) return fill(limit, () => this.again.shift())
    if (this.ended) throw new EndOfStream('a drain takes one batch of static')
    if (this.drain) this.ended = true
    return fill(limit, () => this.produce())
  }

  private produce(): Message {
    this.produced++
    const { constant, metadata } = this.content
    if (constant !== undefined) return new Message(constant, metadata)
    const blank = new Message('', metadata)
    return blank.derive(this.content.payload(blank))
  }

  private async commit(messages: readonly Message[], outcomes: Outcomes): Promise<void> {
    assertOutcomeCount(outcomes, messages.length)
    if (this.closed) throw closedError()
    for (const [index, message] of messages.entries()) {
      if (!settles(outcomeAt(outcomes, index))) this.again.push(message)
    }
  }
}

/** As many as the limit allows; one larger message still comes, alone. */
function fill(limit: ReceiveLimit, next: () => Message | undefined): readonly Message[] {
  const messages: Message[] = []
  let bytes = 0
  while (messages.length < limit.messages && (messages.length === 0 || bytes < limit.bytes)) {
    const message = next()
    if (message === undefined) break
    bytes += message.byteLength
    messages.push(message)
  }
  return messages
}
