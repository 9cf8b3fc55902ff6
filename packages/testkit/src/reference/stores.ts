import type {
  Checkpoint,
  CheckpointStore,
  DedupStore,
  Reservation,
  StateStore,
  StoreProvider,
  VersionedState,
} from '@mqb/core'

const leaseMs = 5_000

interface Held {
  readonly holder: string
  untilMs: number
}

interface Delivered {
  readonly untilMs: number
  readonly reply: Uint8Array | undefined
}

/** What all openings of one URL share. */
interface Rooms {
  readonly checkpoints: Map<string, Checkpoint>
  readonly states: Map<string, VersionedState>
  readonly held: Map<string, Held>
  readonly delivered: Map<string, Delivered>
}

/** Correct stores in memory, one set per URL; what is in them outlives their openings. */
export function createReferenceStores(): StoreProvider {
  const byUrl = new Map<string, Rooms>()

  function rooms(url: string): Rooms {
    let found = byUrl.get(url)
    if (found === undefined) {
      found = { checkpoints: new Map(), states: new Map(), held: new Map(), delivered: new Map() }
      byUrl.set(url, found)
    }
    return found
  }

  return {
    summary: 'Stores in memory, made for tests.',
    examples: ['reference://orders'],
    checkpoint: async url => checkpointStore(rooms(url)),
    state: async url => stateStore(rooms(url)),
    dedup: async url => dedupStore(rooms(url)),
  }
}

function checkpointStore({ checkpoints }: Rooms): CheckpointStore {
  return {
    load: async name => checkpoints.get(name),
    save: async (name, checkpoint) => {
      checkpoints.set(name, { ...checkpoint })
    },
    remove: async name => checkpoints.delete(name),
    close: async () => {},
  }
}

function stateStore({ states }: Rooms): StateStore {
  return {
    load: async keys => keys.map(key => states.get(key)),
    async write(writes) {
      const refused = writes.flatMap(({ key, expectedVersion }, position) =>
        (states.get(key)?.version ?? 0) === expectedVersion ? [] : [position],
      )
      if (refused.length > 0) return refused
      for (const { key, state, expectedVersion } of writes)
        states.set(key, { state, version: expectedVersion + 1 })
      return []
    },
    close: async () => {},
  }
}

function dedupStore({ held, delivered }: Rooms): DedupStore {
  function reserveOne(key: string, holder: string, nowMs: number): Reservation {
    const done = delivered.get(key)
    if (done !== undefined && done.untilMs > nowMs)
      return done.reply === undefined ? { state: 'seen' } : { state: 'seen', reply: done.reply }
    const other = held.get(key)
    if (other !== undefined && other.holder !== holder && other.untilMs > nowMs) return { state: 'busy' }
    held.set(key, { holder, untilMs: nowMs + leaseMs })
    return { state: 'reserved' }
  }

  return {
    reserve: async (keys, holder, nowMs) => keys.map(key => reserveOne(key, holder, nowMs)),
    async promote(keys, holder, expiresMs, replies) {
      keys.forEach((key, index) => {
        if (held.get(key)?.holder === holder) held.delete(key)
        delivered.set(key, { untilMs: expiresMs, reply: replies?.[index] })
      })
    },
    async release(keys, holder) {
      for (const key of keys) if (held.get(key)?.holder === holder) held.delete(key)
    },
    async heartbeat(holder, nowMs) {
      for (const entry of held.values()) if (entry.holder === holder) entry.untilMs = nowMs + leaseMs
    },
    async sweep(nowMs) {
      for (const [key, entry] of held) if (entry.untilMs <= nowMs) held.delete(key)
      for (const [key, entry] of delivered) if (entry.untilMs <= nowMs) delivered.delete(key)
    },
    close: async () => {},
  }
}
