import type {
  CheckpointStore,
  DedupStore,
  Reservation,
  StateStore,
  StoreKind,
  StoreOf,
  StoreProvider,
} from '@mqb/core'
import { describe, expect, it } from 'vitest'
import {
  createRecordingRunner,
  createReferenceStores,
  testCheckpointStore,
  testDedupStore,
  testStateStore,
} from '../src/index.ts'
import { checkpointTests } from '../src/stores/checkpoint.ts'
import { dedupTests } from '../src/stores/dedup.ts'
import { stateTests } from '../src/stores/state.ts'

let stores = 0
const provision = () => ({ url: `reference://store-${stores++}` })

testCheckpointStore({ describe, it }, { provider: createReferenceStores(), provision })
testStateStore({ describe, it }, { provider: createReferenceStores(), provision })
testDedupStore({ describe, it }, { provider: createReferenceStores(), provision })

/** A store with some members replaced, and the tests that it cannot pass. */
interface Fault<S> {
  readonly name: string
  readonly change: (inner: S) => Partial<S>
  readonly breaks: readonly string[]
}

const later = () => new Promise<void>(resolve => setImmediate(resolve))

function closesOnce(): { close(): Promise<void> } {
  let closed = false
  return {
    async close() {
      if (closed) throw new Error('closed already')
      closed = true
    },
  }
}

/** A store that gives another answer to a holder that asks again for what is its own. */
function reservesAgain(inner: DedupStore, answer: () => Promise<Reservation>): Partial<DedupStore> {
  const own = new Set<string>()
  return {
    async reserve(keys, holder, nowMs) {
      const asked = keys.map(async key => {
        const reserved = `${holder} ${key}`
        if (own.has(reserved)) return answer()
        const [first] = await inner.reserve([key], holder, nowMs)
        if (first!.state === 'reserved') own.add(reserved)
        return first!
      })
      return Promise.all(asked)
    },
  }
}

const checkpointFaults: readonly Fault<CheckpointStore>[] = [
  {
    name: 'gives an empty checkpoint for an unknown name',
    change: inner => ({
      load: async name => (await inner.load(name)) ?? { value: '', source: '', updatedMs: 0 },
    }),
    breaks: [
      'an unknown name has no checkpoint',
      'remove says whether there was one, and takes that one alone',
    ],
  },
  {
    name: 'keeps the time in seconds',
    change: inner => ({
      save: (name, checkpoint) =>
        inner.save(name, { ...checkpoint, updatedMs: Math.floor(checkpoint.updatedMs / 1_000) * 1_000 }),
    }),
    breaks: ['a checkpoint is loaded as it was saved'],
  },
  {
    name: 'keeps the first checkpoint',
    change: inner => ({
      save: async (name, checkpoint) => {
        if ((await inner.load(name)) === undefined) await inner.save(name, checkpoint)
      },
    }),
    breaks: ['a later save replaces the earlier one'],
  },
  {
    name: 'folds the case of names',
    change: inner => ({
      load: name => inner.load(name.toLowerCase()),
      save: (name, checkpoint) => inner.save(name.toLowerCase(), checkpoint),
    }),
    breaks: ['names do not touch one another, whatever is in them'],
  },
  {
    name: 'loses saves that overlap',
    change(inner) {
      let saving = false
      return {
        async save(name, checkpoint) {
          if (saving) return
          saving = true
          await later()
          await inner.save(name, checkpoint)
          saving = false
        },
      }
    },
    breaks: ['saves side by side all count'],
  },
  {
    name: 'always says that it removed something',
    change: inner => ({
      async remove(name) {
        await inner.remove(name)
        return true
      },
    }),
    breaks: ['remove says whether there was one, and takes that one alone'],
  },
  {
    name: 'keeps checkpoints to itself',
    change() {
      const own = createReferenceStores().checkpoint!('own', undefined as never)
      return {
        load: async name => (await own).load(name),
        save: async (name, checkpoint) => (await own).save(name, checkpoint),
        remove: async name => (await own).remove(name),
      }
    },
    breaks: ['a saved checkpoint is seen by another opening'],
  },
  { name: 'closes once', change: closesOnce, breaks: ['a checkpoint store may be closed twice'] },
]

const stateFaults: readonly Fault<StateStore>[] = [
  {
    name: 'leaves out what is absent',
    change: inner => ({
      load: async keys => (await inner.load(keys)).filter(state => state !== undefined),
    }),
    breaks: ['states are loaded by position, absent ones as undefined'],
  },
  {
    name: 'counts versions from 2',
    change: inner => ({
      load: async keys =>
        (await inner.load(keys)).map(state => state && { ...state, version: state.version + 1 }),
    }),
    breaks: [
      'the version counts the writes of a key',
      'a write that was computed from an older version is refused',
      'a key that is there is not created again',
      'of a batch the refused positions are named, and the others are written all or none',
      'of two writers of one version one wins',
      'a written state is seen by another opening',
    ],
  },
  {
    name: 'takes stale writes',
    change: inner => ({
      async write(writes) {
        const current = await inner.load(writes.map(write => write.key))
        return inner.write(
          writes.map((write, index) =>
            write.expectedVersion > 0 ? { ...write, expectedVersion: current[index]?.version ?? 0 } : write,
          ),
        )
      },
    }),
    breaks: [
      'a write that was computed from an older version is refused',
      'a version for a key that is absent is refused',
    ],
  },
  {
    name: 'compares the version some time before it writes',
    change: inner => ({
      async write(writes) {
        const [first] = writes
        if (first?.expectedVersion !== 1 || writes.length > 1) return inner.write(writes)
        const [before] = await inner.load([first.key])
        await later()
        if (before?.version !== 1) return [0]
        const [now] = await inner.load([first.key])
        return inner.write([{ ...first, expectedVersion: now?.version ?? 0 }])
      },
    }),
    breaks: ['of two writers of one version one wins'],
  },
  {
    name: 'creates over what is there',
    change: inner => ({
      async write(writes) {
        const current = await inner.load(writes.map(write => write.key))
        return inner.write(
          writes.map((write, index) =>
            write.expectedVersion === 0 && writes.length === 1
              ? { ...write, expectedVersion: current[index]?.version ?? 0 }
              : write,
          ),
        )
      },
    }),
    breaks: ['a key that is there is not created again'],
  },
  {
    name: 'stops at the first refusal, with what was before it written',
    change: inner => ({
      async write(writes) {
        for (const [position, write] of writes.entries())
          if ((await inner.write([write])).length > 0) return [position]
        return []
      },
    }),
    breaks: ['of a batch the refused positions are named, and the others are written all or none'],
  },
  {
    name: 'cuts keys at 255 characters and states at 64 KiB',
    change: inner => ({
      load: keys => inner.load(keys),
      write: writes =>
        inner.write(
          writes.map(write => ({
            ...write,
            key: write.key.slice(0, 255),
            state: write.state.slice(0, 65_536),
          })),
        ),
    }),
    breaks: ['keys and states come back character by character'],
  },
  {
    name: 'refuses empty calls',
    change: inner => ({
      async load(keys) {
        if (keys.length === 0) throw new Error('syntax error near IN ()')
        return inner.load(keys)
      },
    }),
    breaks: ['nothing to load and nothing to write are no errors'],
  },
  {
    name: 'keeps states to itself',
    change() {
      const own = createReferenceStores().state!('own', undefined as never)
      return {
        load: async keys => (await own).load(keys),
        write: async writes => (await own).write(writes),
      }
    },
    breaks: ['a written state is seen by another opening'],
  },
  { name: 'closes once', change: closesOnce, breaks: ['a state store may be closed twice'] },
]

const dedupFaults: readonly Fault<DedupStore>[] = [
  {
    name: 'takes the second place of a key in one call for a copy',
    change: inner => ({
      async reserve(keys, holder, nowMs) {
        const answers = await inner.reserve(keys, holder, nowMs)
        return answers.map((answer, index) =>
          keys.indexOf(keys[index]!) < index ? ({ state: 'busy' } as const) : answer,
        )
      },
    }),
    breaks: ['a new key is reserved, once for each place in the call'],
  },
  {
    name: 'lets every holder reserve',
    change: inner => ({
      async reserve(keys, holder, nowMs) {
        const answers = await inner.reserve(keys, holder, nowMs)
        return answers.map(answer => (answer.state === 'busy' ? ({ state: 'reserved' } as const) : answer))
      },
    }),
    breaks: [
      'a key is reserved again by its holder, and the 5 s begin anew',
      'a key that another holder delivers is busy',
      'a released key is new again',
      'nobody releases what another holder has reserved, or what was delivered',
      'a reservation without a heartbeat lapses after 5 s',
      'a heartbeat keeps the reservations of its holder alone',
      'a sweep removes nothing that still counts',
      'of many holders that ask at once one gets each key',
      'keys differ by every character',
    ],
  },
  {
    name: 'is busy for the holder too',
    change: inner => reservesAgain(inner, async () => ({ state: 'busy' })),
    breaks: ['a key is reserved again by its holder, and the 5 s begin anew'],
  },
  {
    name: 'leaves a reservation as old as it was',
    change: inner => reservesAgain(inner, async () => ({ state: 'reserved' })),
    breaks: ['a key is reserved again by its holder, and the 5 s begin anew'],
  },
  {
    name: 'forgets a second early',
    change: inner => ({
      promote: (keys, holder, expiresMs, replies) => inner.promote(keys, holder, expiresMs - 1_000, replies),
    }),
    breaks: ['a delivered key is seen until it expires'],
  },
  {
    name: 'still knows a key in the millisecond in which it expires',
    change: inner => ({
      promote: (keys, holder, expiresMs, replies) => inner.promote(keys, holder, expiresMs + 1, replies),
    }),
    breaks: ['a delivered key is seen until it expires'],
  },
  {
    name: 'puts replies to the wrong key',
    change: inner => ({
      promote: (keys, holder, expiresMs, replies) =>
        inner.promote(keys, holder, expiresMs, replies === undefined ? undefined : [...replies].reverse()),
    }),
    breaks: ['a seen key gives the reply that was kept with it'],
  },
  {
    name: 'does not release',
    change: () => ({ release: async () => {} }),
    breaks: ['a released key is new again'],
  },
  {
    name: 'releases for anybody',
    change: inner => ({
      release: async keys => {
        for (const holder of ['one', 'two']) await inner.release(keys, holder)
      },
    }),
    breaks: ['nobody releases what another holder has reserved, or what was delivered'],
  },
  {
    name: 'keeps reservations for ever',
    change: inner => ({
      reserve: (keys, holder, nowMs) => inner.reserve(keys, holder, Math.min(nowMs, 1_700_000_004_000)),
    }),
    breaks: [
      'a reservation without a heartbeat lapses after 5 s',
      'a heartbeat keeps the reservations of its holder alone',
      'a delivered key is seen until it expires',
    ],
  },
  {
    name: 'takes a heartbeat for everybody',
    change: inner => ({
      async heartbeat(_holder, nowMs) {
        for (const holder of ['one', 'two']) await inner.heartbeat(holder, nowMs)
      },
    }),
    breaks: ['a heartbeat keeps the reservations of its holder alone'],
  },
  {
    name: 'sweeps reservations away',
    change: inner => ({
      sweep: async nowMs => {
        await inner.release(['held'], 'one')
        await inner.sweep(nowMs)
      },
    }),
    breaks: ['a sweep removes nothing that still counts'],
  },
  {
    name: 'reads before it writes',
    change: inner => ({
      async reserve(keys, holder, nowMs) {
        if (keys.length < 50) return inner.reserve(keys, holder, nowMs)
        await later()
        const answers = await inner.reserve(keys, `probe-${holder}`, nowMs)
        await inner.release(keys, `probe-${holder}`)
        await later()
        return answers
      },
    }),
    breaks: ['of many holders that ask at once one gets each key'],
  },
  {
    name: 'folds the case of keys',
    change: inner => ({
      reserve: (keys, holder, nowMs) =>
        inner.reserve(
          keys.map(key => key.toLowerCase()),
          holder,
          nowMs,
        ),
      promote: (keys, holder, expiresMs, replies) =>
        inner.promote(
          keys.slice(0, 4).map(key => key.toLowerCase()),
          holder,
          expiresMs,
          replies,
        ),
    }),
    breaks: ['keys differ by every character'],
  },
  {
    name: 'refuses empty calls',
    change: inner => ({
      async reserve(keys, holder, nowMs) {
        if (keys.length === 0) throw new Error('syntax error near IN ()')
        return inner.reserve(keys, holder, nowMs)
      },
    }),
    breaks: ['no keys are no error'],
  },
  {
    name: 'keeps keys to itself',
    change() {
      const own = createReferenceStores().dedup!('own', undefined as never)
      return {
        reserve: async (...call) => (await own).reserve(...call),
        promote: async (...call) => (await own).promote(...call),
        release: async (...call) => (await own).release(...call),
        heartbeat: async (...call) => (await own).heartbeat(...call),
        sweep: async nowMs => (await own).sweep(nowMs),
      }
    },
    breaks: [
      'a delivered key is seen by another opening',
      'of many holders that ask at once one gets each key',
    ],
  },
  { name: 'closes once', change: closesOnce, breaks: ['a deduplication store may be closed twice'] },
]

const suites = { checkpoint: testCheckpointStore, state: testStateStore, dedup: testDedupStore } as const

async function failures<K extends StoreKind>(kind: K, fault: Fault<StoreOf<K>>): Promise<string[]> {
  const correct = createReferenceStores()
  const provider: StoreProvider = {
    ...correct,
    [kind]: async (url: string) => {
      const inner = (await correct[kind]!(url, undefined as never)) as StoreOf<K>
      return { ...inner, ...fault.change(inner) }
    },
  }
  const runner = createRecordingRunner()
  suites[kind](runner, { provider, provision })
  return (await runner.run()).filter(test => test.state === 'failed').map(test => test.name)
}

function catches<K extends StoreKind>(
  kind: K,
  faults: readonly Fault<StoreOf<K>>[],
  tests: readonly { readonly name: string }[],
): void {
  describe(`the suite for ${kind} stores`, () => {
    it.each(faults.map(fault => [fault.name, fault] as const))(
      'catches a store that %s',
      async (_, fault) => {
        expect((await failures(kind, fault)).sort()).toEqual([...fault.breaks].sort())
      },
    )

    it('has a fault for every test', () => {
      const broken = new Set(faults.flatMap(fault => fault.breaks))
      expect([...broken].sort()).toEqual(tests.map(test => test.name).sort())
    })
  })
}

catches('checkpoint', checkpointFaults, checkpointTests)
catches('state', stateFaults, stateTests)
catches('dedup', dedupFaults, dedupTests)
