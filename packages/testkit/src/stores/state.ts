import assert from 'node:assert/strict'
import type { StateStore } from '@mqb/core'
import type { SuiteTest, TestRunner } from '../runner/runner.ts'
import { awkwardTexts, type StoreSuiteOptions, type StoreWorld, testStore } from './suite.ts'

const fresh = (key: string, state: string) => ({ key, state, expectedVersion: 0 })

async function one(store: StateStore, key: string) {
  const [found] = await store.load([key])
  return found === undefined ? undefined : { state: found.state, version: found.version }
}

/** Every test of the suite for state stores. */
export const stateTests: readonly SuiteTest<StoreWorld<StateStore>>[] = [
  {
    name: 'states are loaded by position, absent ones as undefined',
    rule: 'load answers by position',
    async run(world) {
      const store = await world.open()
      assert.deepEqual(await store.write([fresh('a', '1'), fresh('b', '2')]), [])
      const loaded = await store.load(['b', 'nobody', 'a', 'b'])
      assert.deepEqual(
        loaded.map(state => state?.state),
        ['2', undefined, '1', '2'],
      )
    },
  },
  {
    name: 'the version counts the writes of a key',
    rule: 'the version is the number of writes: 1 after the first',
    async run(world) {
      const store = await world.open()
      for (let version = 0; version < 3; version++)
        assert.deepEqual(
          await store.write([{ key: 'a', state: `s${version}`, expectedVersion: version }]),
          [],
        )
      assert.deepEqual(await one(store, 'a'), { state: 's2', version: 3 })
    },
  },
  {
    name: 'a write that was computed from an older version is refused',
    rule: 'a write takes effect only while the row has the version that it was computed from',
    async run(world) {
      const store = await world.open()
      await store.write([fresh('a', 'first')])
      await store.write([{ key: 'a', state: 'second', expectedVersion: 1 }])
      assert.deepEqual(await store.write([{ key: 'a', state: 'stale', expectedVersion: 1 }]), [0])
      assert.deepEqual(await one(store, 'a'), { state: 'second', version: 2 })
    },
  },
  {
    name: 'a key that is there is not created again',
    rule: 'expectedVersion 0 is for a key that is absent',
    async run(world) {
      const store = await world.open()
      await store.write([fresh('a', 'first')])
      assert.deepEqual(await store.write([fresh('a', 'again')]), [0])
      assert.deepEqual(await one(store, 'a'), { state: 'first', version: 1 })
    },
  },
  {
    name: 'a version for a key that is absent is refused',
    rule: 'a write takes effect only while the row has the version that it was computed from',
    async run(world) {
      const store = await world.open()
      assert.deepEqual(await store.write([{ key: 'a', state: 'ghost', expectedVersion: 4 }]), [0])
      assert.equal(await one(store, 'a'), undefined)
    },
  },
  {
    name: 'of a batch the refused positions are named, and the others are written all or none',
    rule: 'a store that writes a batch as one transaction writes nothing when it refuses any',
    async run(world) {
      const store = await world.open()
      await store.write([fresh('b', 'old')])
      assert.deepEqual(await store.write([fresh('a', 'x'), fresh('b', 'x'), fresh('c', 'x')]), [1])
      assert.deepEqual(await one(store, 'b'), { state: 'old', version: 1 })
      const written = (await store.load(['a', 'c'])).filter(state => state !== undefined)
      assert.ok(written.length === 0 || written.length === 2, 'one of two writes took effect')
    },
  },
  {
    name: 'of two writers of one version one wins',
    rule: 'no update is lost',
    async run(world) {
      const [left, right] = [await world.open(), await world.open()]
      await left.write([fresh('a', 'start')])
      const results = await Promise.all([
        left.write([{ key: 'a', state: 'left', expectedVersion: 1 }]),
        right.write([{ key: 'a', state: 'right', expectedVersion: 1 }]),
      ])
      const winners = results.filter(refused => refused.length === 0).length
      assert.equal(winners, 1, `${winners} of two writers were told that they had won`)
      assert.equal((await one(left, 'a'))?.version, 2)
    },
  },
  {
    name: 'keys and states come back character by character',
    rule: 'keys are texts of at most 512 characters, states are texts',
    async run(world) {
      const store = await world.open()
      const keys = [...awkwardTexts, 'k'.repeat(512)]
      assert.deepEqual(await store.write(keys.map(key => fresh(key, JSON.stringify({ key })))), [])
      const loaded = await store.load(keys)
      keys.forEach((key, index) => {
        assert.equal(loaded[index]?.state, JSON.stringify({ key }), key)
      })
      const large = JSON.stringify({ list: 'größe '.repeat(20_000) })
      await store.write([fresh('large', large)])
      assert.equal((await one(store, 'large'))?.state, large)
    },
  },
  {
    name: 'nothing to load and nothing to write are no errors',
    rule: 'calls take any number of keys',
    async run(world) {
      const store = await world.open()
      assert.deepEqual(await store.load([]), [])
      assert.deepEqual(await store.write([]), [])
    },
  },
  {
    name: 'a written state is seen by another opening',
    rule: 'write is durable when it resolves',
    async run(world) {
      const store = await world.open()
      await store.write([fresh('a', 'kept')])
      if (world.durable) await store.close()
      assert.deepEqual(await one(await world.open(), 'a'), { state: 'kept', version: 1 })
    },
  },
  {
    name: 'a state store may be closed twice',
    rule: 'close never throws',
    async run(world) {
      const store = await world.open()
      await store.close()
      await store.close()
    },
  },
]

/** Registers the conformance suite for a state store. */
export function testStateStore(runner: TestRunner, options: StoreSuiteOptions): void {
  testStore(runner, 'state', stateTests, options)
}
