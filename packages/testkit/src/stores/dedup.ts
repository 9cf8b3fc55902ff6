import assert from 'node:assert/strict'
import type { DedupStore } from '@mqb/core'
import type { SuiteTest, TestRunner } from '../runner/runner.ts'
import { awkwardTexts, type StoreSuiteOptions, type StoreWorld, testStore } from './suite.ts'

const start = 1_700_000_000_000
/** How long a reservation outlives its last heartbeat. */
const leaseMs = 5_000
const hour = 3_600_000

async function states(store: DedupStore, keys: readonly string[], holder: string, nowMs = start) {
  return (await store.reserve(keys, holder, nowMs)).map(reservation => reservation.state)
}

/** Every test of the suite for deduplication stores. */
export const dedupTests: readonly SuiteTest<StoreWorld<DedupStore>>[] = [
  {
    name: 'a new key is reserved, once for each place in the call',
    rule: 'a key that nobody had is ours; twice in one call it gets the same answer twice',
    async run(world) {
      const store = await world.open()
      assert.deepEqual(await states(store, ['a', 'b', 'a'], 'one'), ['reserved', 'reserved', 'reserved'])
    },
  },
  {
    name: 'a key that another holder delivers is busy',
    rule: 'a reservation is for one holder',
    async run(world) {
      const store = await world.open()
      await store.reserve(['a'], 'one', start)
      assert.deepEqual(await states(store, ['a', 'b'], 'two'), ['busy', 'reserved'])
    },
  },
  {
    name: 'a key is reserved again by its holder, and the 5 s begin anew',
    rule: 'asking again for what is ours already is no harm: the answer is reserved',
    async run(world) {
      const store = await world.open()
      await store.reserve(['a'], 'one', start)
      assert.deepEqual(await states(store, ['a', 'b'], 'one', start + leaseMs - 1_000), [
        'reserved',
        'reserved',
      ])
      assert.deepEqual(await states(store, ['a'], 'two', start + leaseMs + 1_000), ['busy'])
    },
  },
  {
    name: 'a delivered key is seen until it expires',
    rule: 'a key is seen while the time is before expiresMs, and new again from that millisecond on',
    async run(world) {
      const store = await world.open()
      await store.reserve(['a', 'b'], 'one', start)
      await store.promote(['a'], 'one', start + hour)
      assert.deepEqual(await states(store, ['a', 'c'], 'two', start + hour - 1), ['seen', 'reserved'])
      assert.deepEqual(await states(store, ['a'], 'two', start + hour), ['reserved'])
    },
  },
  {
    name: 'a seen key gives the reply that was kept with it',
    rule: 'replies are kept by position, byte for byte',
    async run(world) {
      const store = await world.open()
      const reply = Buffer.from([0x00, 0xff, 0x7b, 0x0a])
      await store.reserve(['a', 'b'], 'one', start)
      await store.promote(['a', 'b'], 'one', start + hour, [undefined, reply])
      const [first, second] = await store.reserve(['a', 'b'], 'two', start + 1)
      assert.ok(first?.state === 'seen' && first.reply === undefined, 'a has no reply')
      assert.ok(second?.state === 'seen' && second.reply !== undefined, 'b has one')
      assert.deepEqual(Buffer.from(second.reply), reply)
    },
  },
  {
    name: 'a released key is new again',
    rule: 'release gives reserved keys back after a failure',
    async run(world) {
      const store = await world.open()
      await store.reserve(['a', 'b'], 'one', start)
      await store.release(['a'], 'one')
      assert.deepEqual(await states(store, ['a', 'b'], 'two'), ['reserved', 'busy'])
    },
  },
  {
    name: 'nobody releases what another holder has reserved, or what was delivered',
    rule: 'release is for the holder of a reservation',
    async run(world) {
      const store = await world.open()
      await store.reserve(['a', 'b'], 'one', start)
      await store.promote(['b'], 'one', start + hour)
      await store.release(['a'], 'two')
      await store.release(['b'], 'one')
      assert.deepEqual(await states(store, ['a', 'b'], 'three', start + 1), ['busy', 'seen'])
    },
  },
  {
    name: 'a reservation without a heartbeat lapses after 5 s',
    rule: 'a reservation is ours until promoted, released, or 5 s after our last heartbeat',
    async run(world) {
      const store = await world.open()
      await store.reserve(['a', 'b'], 'one', start)
      assert.deepEqual(await states(store, ['a'], 'two', start + leaseMs - 1), ['busy'])
      assert.deepEqual(await states(store, ['b'], 'two', start + leaseMs + 1), ['reserved'])
    },
  },
  {
    name: 'a heartbeat keeps the reservations of its holder alone',
    rule: 'heartbeat keeps all reservations of a holder alive for another 5 s',
    async run(world) {
      const store = await world.open()
      await store.reserve(['a'], 'one', start)
      await store.reserve(['b'], 'two', start)
      await store.heartbeat('one', start + leaseMs - 1_000)
      const later = start + 2 * leaseMs - 1_001
      assert.deepEqual(await states(store, ['a', 'b'], 'three', later), ['busy', 'reserved'])
      assert.deepEqual(await states(store, ['a'], 'four', later + 2), ['reserved'])
    },
  },
  {
    name: 'a sweep removes nothing that still counts',
    rule: 'sweep removes what has expired',
    async run(world) {
      const store = await world.open()
      await store.reserve(['seen', 'held', 'old'], 'one', start)
      await store.promote(['seen'], 'one', start + hour)
      await store.promote(['old'], 'one', start + 10)
      await store.sweep(start + 20)
      assert.deepEqual(await states(store, ['seen', 'held', 'old'], 'two', start + 21), [
        'seen',
        'busy',
        'reserved',
      ])
    },
  },
  {
    name: 'of many holders that ask at once one gets each key',
    rule: 'a reservation is for one holder, also between openings',
    async run(world) {
      const stores = [await world.open(), await world.open()]
      const keys = Array.from({ length: 50 }, (_, index) => `k${index}`)
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, holder) => states(stores[holder % 2]!, keys, `h${holder}`)),
      )
      keys.forEach((key, index) => {
        const winners = answers.filter(answer => answer[index] === 'reserved').length
        assert.equal(winners, 1, `${winners} holders have ${key}`)
      })
    },
  },
  {
    name: 'keys differ by every character',
    rule: 'a key is a text; only the same text is the same key',
    async run(world) {
      const store = await world.open()
      const keys = [...awkwardTexts, '', 'k'.repeat(1_000), `${'k'.repeat(999)}l`]
      assert.deepEqual(
        await states(store, keys, 'one'),
        keys.map(() => 'reserved'),
      )
      await store.promote(keys.slice(0, 5), 'one', start + hour)
      assert.deepEqual(
        await states(store, keys, 'two', start + 1),
        keys.map((_, index) => (index < 5 ? 'seen' : 'busy')),
      )
    },
  },
  {
    name: 'no keys are no error',
    rule: 'calls take any number of keys',
    async run(world) {
      const store = await world.open()
      assert.deepEqual(await store.reserve([], 'one', start), [])
      await store.promote([], 'one', start + hour)
      await store.release([], 'one')
    },
  },
  {
    name: 'a delivered key is seen by another opening',
    rule: 'the store is for all who share it, and keeps what was promoted',
    async run(world) {
      const store = await world.open()
      await store.reserve(['a'], 'one', start)
      await store.promote(['a'], 'one', start + hour)
      if (world.durable) await store.close()
      assert.deepEqual(await states(await world.open(), ['a'], 'two', start + 1), ['seen'])
    },
  },
  {
    name: 'a deduplication store may be closed twice',
    rule: 'close never throws',
    async run(world) {
      const store = await world.open()
      await store.close()
      await store.close()
    },
  },
]

/** Registers the conformance suite for a deduplication store. */
export function testDedupStore(runner: TestRunner, options: StoreSuiteOptions): void {
  testStore(runner, 'dedup', dedupTests, options)
}
