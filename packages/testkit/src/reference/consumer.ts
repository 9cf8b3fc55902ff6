import {
  assertOutcomeCount,
  type Batch,
  type Consumer,
  closedError,
  EndOfStream,
  type Message,
  type Opening,
  type Outcomes,
  outcomeAt,
  type ReceiveLimit,
  receivedMetadata,
  settles,
} from '@mqb/core'
import type { ReferenceChannel, StoredMessage } from './channel.ts'

/** The metadata key of the position, stamped when the opening asks for source metadata. */
export const referencePositionKey = 'mqb.src.reference_position'

/** What the two kinds of inputs do differently with the messages that are on loan. */
interface Source {
  take(limit: ReceiveLimit): StoredMessage[]
  settle(messages: readonly StoredMessage[], outcomes: Outcomes, handle: number): void
  /** Identifies the hand-over that the next `take` makes. */
  handle(): number
  returnAll(): void
  /** Messages that no receive has taken. */
  pending(): number
}

/** A correct consumer, small enough to be read as an example. */
export function createReferenceConsumer(
  channel: ReferenceChannel,
  order: 'any' | 'ordered',
  opening: Opening,
): Consumer {
  const source = order === 'any' ? queueSource(channel) : logSource(channel)
  const closing = new AbortController()
  const { connection } = channel
  const onLost = (): void => source.returnAll()
  connection.addEventListener('abort', onLost, { once: true })

  function assertOpen(): void {
    if (closing.signal.aborted) throw closedError()
    connection.throwIfAborted()
  }

  function present(entry: StoredMessage): Message {
    const pairs = receivedMetadata(entry.message.metadataPairs)
    return entry.message.withPairs(
      opening.sourceMetadata ? [...pairs, referencePositionKey, String(entry.position)] : pairs,
    )
  }

  function lend(entries: readonly StoredMessage[], handle: number): Batch {
    return {
      messages: entries.map(present),
      async commit(outcomes) {
        assertOpen()
        assertOutcomeCount(outcomes, entries.length)
        source.settle(entries, outcomes, handle)
      },
    }
  }

  return {
    async receive(limit, signal) {
      assertOpen()
      signal.throwIfAborted()
      if (limit.messages === 0) return lend([], source.handle())
      // Not AbortSignal.any: it would leave a reference on a signal that lives as long as the route.
      const stop = new AbortController()
      const onAbort = (): void => stop.abort()
      const ends = [signal, closing.signal, connection]
      for (const end of ends) end.addEventListener('abort', onAbort, { once: true })
      try {
        for (;;) {
          const handle = source.handle()
          const entries = source.take(limit)
          if (entries.length > 0) return lend(entries, handle)
          if (opening.drain) throw new EndOfStream()
          await channel.arrival(stop.signal)
          assertOpen()
          signal.throwIfAborted()
        }
      } finally {
        for (const end of ends) end.removeEventListener('abort', onAbort)
      }
    },
    async pin() {},
    status: () => ({
      healthy: !closing.signal.aborted && !connection.aborted,
      target: 'reference',
      pending: source.pending(),
    }),
    async close() {
      if (closing.signal.aborted) return
      connection.removeEventListener('abort', onLost)
      source.returnAll()
      closing.abort()
    },
  }
}

/** Each message is acknowledged on its own; one that failed waits again at once. */
function queueSource(channel: ReferenceChannel): Source {
  const lent = new Set<StoredMessage>()
  return {
    handle: () => 0,
    take(limit) {
      const taken = channel.ready.splice(0, fitting(channel.ready, 0, limit))
      for (const entry of taken) lent.add(entry)
      return taken
    },
    settle(messages, outcomes) {
      const back: StoredMessage[] = []
      messages.forEach((entry, index) => {
        // Not on loan any more: this batch was committed before.
        if (!lent.delete(entry)) return
        const outcome = outcomeAt(outcomes, index)
        if (entry.answer !== undefined) entry.answer(outcome)
        else if (!settles(outcome)) back.push(entry)
      })
      channel.putBack(back)
    },
    returnAll() {
      channel.putBack([...lent])
      lent.clear()
    },
    pending: () => channel.ready.length,
  }
}

/** One position says that everything before it is settled, as an offset in a log does. */
function logSource(channel: ReferenceChannel): Source {
  let cursor = channel.committed
  // Counts the rewinds: what was handed out before one moves the position no more.
  let generation = 0
  return {
    handle: () => generation,
    take(limit) {
      const taken = channel.stored.slice(cursor, cursor + fitting(channel.stored, cursor, limit))
      cursor += taken.length
      return taken
    },
    settle(messages, outcomes, handle) {
      if (handle !== generation) return
      messages.forEach((entry, index) => {
        entry.answer?.(outcomeAt(outcomes, index))
      })
      const firstOpen = messages.findIndex((_, index) => !settles(outcomeAt(outcomes, index)))
      const settled = firstOpen === -1 ? messages : messages.slice(0, firstOpen)
      const last = settled.at(-1)
      if (last !== undefined) channel.committed = Math.max(channel.committed, last.position + 1)
      if (firstOpen === -1) return
      cursor = messages[firstOpen]!.position
      generation++
    },
    returnAll() {
      generation++
    },
    pending: () => channel.stored.length - cursor,
  }
}

/** How many stored messages from `from` on the limit allows. */
function fitting(entries: readonly StoredMessage[], from: number, limit: ReceiveLimit): number {
  let bytes = 0
  let count = 0
  while (from + count < entries.length && count < limit.messages && (count === 0 || bytes < limit.bytes)) {
    bytes += entries[from + count]!.message.byteLength
    count++
  }
  return count
}
