import type { Logger, Message } from '@mqb/core'
import type { Retention } from '../config.ts'
import { keep } from '../keep.ts'

const warningIntervalMs = 10_000

/** Messages that were appended together. Offsets grow by one per message. */
interface Segment {
  readonly first: number
  readonly messages: readonly Message[]
  readonly appendedMs: number
}

/** How far a subscriber has come. It stays for a while after its consumer closed, so that a reopened one goes on. */
export interface Subscriber {
  readonly id: string
  /** Highest offset such that it and all before are done. */
  acked: number
  seenMs: number
  attached: boolean
}

export type DropListener = (events: readonly Message[]) => void

/** An append-only log in memory, from which every subscriber reads every event. Offsets start at 1. */
export class EventLog {
  readonly mode = 'event_store'
  readonly key: string
  readonly retention: Retention
  /** Endpoints that have it open. */
  users = 0
  private segments: Segment[] = []
  /** Oldest offset that is kept; one more than `head` when there is none. */
  private base = 1
  private last = 0
  private ended = false
  private lastCleaningMs = Number.NEGATIVE_INFINITY
  private overflow = 0
  private nextWarningMs = Number.NEGATIVE_INFINITY
  private readonly subscribers = new Map<string, Subscriber>()
  private readonly waiters = new Set<() => void>()
  private readonly dropListeners = new Set<DropListener>()

  constructor(key: string, retention: Retention) {
    this.key = key
    this.retention = retention
  }

  /** Offset of the newest event; 0 before the first. */
  get head(): number {
    return this.last
  }

  /** Offset of the oldest event that is kept. */
  get earliest(): number {
    return this.base
  }

  /** Events that are kept. */
  get length(): number {
    return this.last - this.base + 1
  }

  /** Events that were dropped because there were too many, read or not. */
  get overflowed(): number {
    return this.overflow
  }

  get closed(): boolean {
    return this.ended
  }

  get subscriberIds(): readonly string[] {
    return [...this.subscribers.keys()]
  }

  /** Nothing would be lost if it were forgotten. */
  get disposable(): boolean {
    return this.users === 0 && this.length === 0 && this.waiters.size === 0
  }

  /** Adds events and wakes all who wait. Drops the oldest above `max_count`, with a warning. */
  append(messages: readonly Message[], nowMs: number, log?: Logger): void {
    if (messages.length === 0) return
    this.segments.push({ first: this.last + 1, messages: keep(messages).messages, appendedMs: nowMs })
    this.last += messages.length
    const excess = this.length - this.retention.max_count
    if (excess > 0) {
      this.overflow += excess
      this.dropBefore(this.base + excess)
      if (log !== undefined) this.warnAboutOverflow(nowMs, log)
    }
    this.clean(nowMs)
    this.wake()
  }

  /** Events from an offset on, by reference where a whole segment fits. The offset must be kept, or the next one. */
  read(from: number, limit: { messages: number; bytes: number }): readonly Message[] {
    const start = this.segmentOf(from)
    const segment = this.segments[start]
    if (segment === undefined) return []
    const collected: Message[] = []
    let bytes = 0
    for (let at = start; at < this.segments.length; at++) {
      const { first, messages } = this.segments[at]!
      for (let index = Math.max(0, from - first); index < messages.length; index++) {
        if (collected.length >= limit.messages || (collected.length > 0 && bytes >= limit.bytes))
          return collected
        const message = messages[index]!
        bytes += message.byteLength
        collected.push(message)
      }
    }
    return collected
  }

  /** Resolves at the next append or close; rejects with `signal.reason`. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const wake = (): void => {
        signal.removeEventListener('abort', cancel)
        resolve()
      }
      const cancel = (): void => {
        this.waiters.delete(wake)
        reject(signal.reason)
      }
      this.waiters.add(wake)
      signal.addEventListener('abort', cancel, { once: true })
    })
  }

  /**
   * Attaches a subscriber. One that was there before and is not attached now goes on where it was; a new one begins at
   * the earliest event.
   */
  subscribe(id: string, nowMs: number): Subscriber {
    this.clean(nowMs)
    const known = this.subscribers.get(id)
    if (known !== undefined && !known.attached) {
      known.attached = true
      known.seenMs = nowMs
      return known
    }
    const own = known === undefined ? id : this.freeId(id)
    const subscriber: Subscriber = { id: own, acked: this.base - 1, seenMs: nowMs, attached: true }
    this.subscribers.set(own, subscriber)
    return subscriber
  }

  unsubscribe(subscriber: Subscriber, nowMs: number): void {
    subscriber.attached = false
    subscriber.seenMs = nowMs
    this.clean(nowMs)
  }

  /** A sign of life. A subscriber that was removed for its silence is back with it. */
  touch(subscriber: Subscriber, nowMs: number): void {
    subscriber.seenMs = nowMs
    if (this.subscribers.get(subscriber.id) === undefined) this.subscribers.set(subscriber.id, subscriber)
  }

  /** Everything up to an offset is done for this subscriber. */
  acknowledge(subscriber: Subscriber, offset: number, nowMs: number): void {
    if (offset > subscriber.acked) subscriber.acked = offset
    this.touch(subscriber, nowMs)
    this.clean(nowMs)
  }

  /** Calls back with events that leave the store. The function that comes back ends that. */
  onDrop(listener: DropListener): () => void {
    this.dropListeners.add(listener)
    return () => this.dropListeners.delete(listener)
  }

  /** Takes everything out. */
  clear(): readonly Message[] {
    const events = this.read(this.base, {
      messages: Number.POSITIVE_INFINITY,
      bytes: Number.POSITIVE_INFINITY,
    })
    this.segments = []
    this.base = this.last + 1
    return events
  }

  close(): void {
    this.ended = true
    this.wake()
  }

  /** Removes silent subscribers and what all others have done or what is too old; at most once per interval. */
  private clean(nowMs: number): void {
    const { gc_interval_ms, subscriber_timeout_ms, max_age_ms } = this.retention
    if (nowMs - this.lastCleaningMs < gc_interval_ms) return
    this.lastCleaningMs = nowMs
    let done = Number.POSITIVE_INFINITY
    for (const subscriber of this.subscribers.values()) {
      if (nowMs - subscriber.seenMs > subscriber_timeout_ms) this.subscribers.delete(subscriber.id)
      else done = Math.min(done, subscriber.acked)
    }
    if (done !== Number.POSITIVE_INFINITY) this.dropBefore(done + 1)
    let tooOld = this.base
    for (const segment of this.segments) {
      if (nowMs - segment.appendedMs <= max_age_ms) break
      tooOld = segment.first + segment.messages.length
    }
    this.dropBefore(tooOld)
  }

  private dropBefore(offset: number): void {
    if (offset <= this.base) return
    const dropped =
      this.dropListeners.size === 0
        ? []
        : this.read(this.base, { messages: offset - this.base, bytes: Number.POSITIVE_INFINITY })
    this.base = offset
    let whole = 0
    while (whole < this.segments.length && this.endOf(whole) <= offset) whole++
    if (whole > 0) this.segments.splice(0, whole)
    for (const listener of dropped.length === 0 ? [] : this.dropListeners) listener(dropped)
  }

  private warnAboutOverflow(nowMs: number, log: Logger): void {
    if (nowMs < this.nextWarningMs) return
    this.nextWarningMs = nowMs + warningIntervalMs
    log.warn(
      `the event store ${this.key} keeps at most ${this.retention.max_count} events: ${this.overflow} of the oldest were dropped so far`,
      { code: 'MQB_MEMORY_EVENTS_DROPPED', topic: this.key, total: this.overflow },
    )
  }

  private endOf(index: number): number {
    const segment = this.segments[index]!
    return segment.first + segment.messages.length
  }

  /** Index of the segment that holds the offset, or of the first one behind it. */
  private segmentOf(offset: number): number {
    let low = 0
    let high = this.segments.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.endOf(middle) <= offset) low = middle + 1
      else high = middle
    }
    return low
  }

  private freeId(id: string): string {
    let number = 2
    while (this.subscribers.get(`${id}#${number}`)?.attached === true) number++
    const free = `${id}#${number}`
    this.subscribers.delete(free)
    return free
  }

  private wake(): void {
    const woken = [...this.waiters]
    this.waiters.clear()
    for (const wake of woken) wake()
  }
}
