import {
  type Batch,
  type Consumer,
  closedError,
  EndOfStream,
  Message,
  type Outcomes,
  outcomeAt,
  settles,
} from '@mqb/core'

export interface SourceOptions {
  /** Whether a commit moves a position instead of settling single messages. */
  readonly ordered?: boolean
  /** Ordered: goes back to an unsettled message by itself. A receive that waits meanwhile does not notice. */
  readonly rewinds?: boolean
  /** What comes when there is nothing: an empty batch, the end, or nothing until the signal. */
  readonly end?: 'empty' | 'end' | 'wait'
  readonly maxBatch?: number
}

interface Item {
  readonly number: number
  readonly text: string
}

/** Something outside of mqb that messages come from: it survives its consumers, and remembers what was settled. */
export class TestSource {
  readonly settled: string[] = []
  readonly handedOut: string[] = []
  readonly commits: { texts: string[]; outcomes: Outcomes }[] = []
  /** What the next calls do instead; an empty list means business as usual. */
  readonly receiveFaults: (() => unknown)[] = []
  readonly commitFaults: (() => unknown)[] = []
  readonly openFaults: (() => unknown)[] = []
  /** Called after a commit was applied. */
  onCommit: (() => void) | undefined
  opened = 0
  closed = 0
  open = 0
  /** Ordered: how many messages from the first on are settled. */
  position = 0
  private readonly all: Item[] = []
  private queue: Item[] = []
  private readonly options: Required<SourceOptions>
  private waiters: (() => void)[] = []

  constructor(texts: readonly string[], options: SourceOptions = {}) {
    this.options = { ordered: false, rewinds: false, end: 'empty', maxBatch: 1_000_000, ...options }
    this.add(...texts)
  }

  add(...texts: string[]): void {
    for (const text of texts) {
      const item = { number: this.all.length, text }
      this.all.push(item)
      this.queue.push(item)
    }
    this.wake()
  }

  private wake(): void {
    for (const resolve of this.waiters.splice(0)) resolve()
  }

  get remaining(): number {
    return this.options.ordered ? this.all.length - this.position : this.queue.length
  }

  consumer = (): Consumer => {
    this.openFaults.shift()?.()
    return this.connect()
  }

  private connect(): Consumer {
    const { ordered, rewinds, end, maxBatch } = this.options
    let closed = false
    let next = this.position
    const outstanding = new Set<Item>()
    this.opened += 1
    this.open += 1
    const source = this

    function take(count: number): Item[] {
      if (ordered) {
        const items = source.all.slice(next, next + count)
        next += items.length
        return items
      }
      return source.queue.splice(0, count)
    }

    function batchOf(items: Item[]): Batch {
      for (const item of items) outstanding.add(item)
      source.handedOut.push(...items.map(item => item.text))
      return {
        messages: items.map(item => new Message(item.text)),
        async commit(outcomes) {
          if (closed) throw closedError()
          await fault(source.commitFaults)
          if (closed) throw closedError()
          source.commits.push({ texts: items.map(item => item.text), outcomes })
          for (const [index, item] of items.entries()) {
            outstanding.delete(item)
            const done = settles(outcomeAt(outcomes, index))
            if (ordered && !done) {
              if (rewinds) next = source.position
              break
            }
            if (!done) source.queue.push(item)
            else if (ordered && item.number !== source.position)
              throw new Error(`commit of ${item.number} while the position is ${source.position}`)
            else {
              source.position = item.number + 1
              source.settled.push(item.text)
            }
          }
          if (!ordered) source.wake()
          source.onCommit?.()
        },
      }
    }

    return {
      async receive({ messages }, signal) {
        if (closed) throw closedError()
        await fault(source.receiveFaults)
        for (;;) {
          if (closed) throw closedError()
          const items = take(Math.min(messages, maxBatch))
          if (items.length > 0) return batchOf(items)
          if (end === 'empty') return batchOf([])
          if (end === 'end') throw new EndOfStream()
          await new Promise<void>((resolve, reject) => {
            const onAbort = (): void => reject(signal.reason)
            signal.addEventListener('abort', onAbort, { once: true })
            source.waiters.push(() => {
              signal.removeEventListener('abort', onAbort)
              resolve()
            })
          })
        }
      },
      pin: async () => {},
      status: () => ({ healthy: true, target: 'source', pending: source.remaining }),
      async close() {
        if (closed) return
        closed = true
        source.closed += 1
        source.open -= 1
        if (!ordered) source.queue.unshift(...outstanding)
        source.wake()
      },
    }
  }
}

async function fault(faults: (() => unknown)[]): Promise<void> {
  await faults.shift()?.()
}
