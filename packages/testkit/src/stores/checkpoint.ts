import assert from 'node:assert/strict'
import type { CheckpointStore } from '@mqb/core'
import type { SuiteTest, TestRunner } from '../runner/runner.ts'
import { awkwardTexts, type StoreSuiteOptions, type StoreWorld, testStore } from './suite.ts'

const at = (value: string, updatedMs = 1_700_000_000_000) => ({ value, source: 'orders', updatedMs })

/** Every test of the suite for checkpoint stores. */
export const checkpointTests: readonly SuiteTest<StoreWorld<CheckpointStore>>[] = [
  {
    name: 'an unknown name has no checkpoint',
    rule: 'load resolves to undefined where nothing was saved',
    async run(world) {
      assert.equal(await (await world.open()).load('nobody'), undefined)
    },
  },
  {
    name: 'a checkpoint is loaded as it was saved',
    rule: 'value, source and time come back unchanged',
    async run(world) {
      const store = await world.open()
      const checkpoint = {
        value: 'int:9007199254740993',
        source: "größe 'x' 🚀",
        updatedMs: 1_700_000_000_123,
      }
      await store.save('orders', checkpoint)
      assert.deepEqual({ ...(await store.load('orders')) }, checkpoint)
    },
  },
  {
    name: 'a later save replaces the earlier one',
    rule: 'one position per name',
    async run(world) {
      const store = await world.open()
      for (const value of ['int:1', 'int:2', 'int:3']) await store.save('orders', at(value))
      assert.equal((await store.load('orders'))?.value, 'int:3')
    },
  },
  {
    name: 'names do not touch one another, whatever is in them',
    rule: 'a name is a text; only the same text is the same name',
    async run(world) {
      const store = await world.open()
      for (const name of awkwardTexts) await store.save(name, at(`of ${name}`))
      for (const name of awkwardTexts) assert.equal((await store.load(name))?.value, `of ${name}`, name)
    },
  },
  {
    name: 'saves side by side all count',
    rule: 'calls may overlap',
    async run(world) {
      const store = await world.open()
      const names = Array.from({ length: 20 }, (_, index) => `n${index}`)
      await Promise.all(names.map(name => store.save(name, at(name))))
      for (const name of names) assert.equal((await store.load(name))?.value, name)
    },
  },
  {
    name: 'remove says whether there was one, and takes that one alone',
    rule: 'remove resolves to whether there was a checkpoint',
    async run(world) {
      const store = await world.open()
      await store.save('a', at('1'))
      await store.save('b', at('2'))
      assert.equal(await store.remove('a'), true)
      assert.equal(await store.remove('a'), false)
      assert.equal(await store.load('a'), undefined)
      assert.equal((await store.load('b'))?.value, '2')
    },
  },
  {
    name: 'a saved checkpoint is seen by another opening',
    rule: 'save is durable when it resolves',
    async run(world) {
      const store = await world.open()
      await store.save('orders', at('int:7'))
      if (world.durable) await store.close()
      assert.equal((await (await world.open()).load('orders'))?.value, 'int:7')
    },
  },
  {
    name: 'a checkpoint store may be closed twice',
    rule: 'close never throws',
    async run(world) {
      const store = await world.open()
      await store.close()
      await store.close()
    },
  },
]

/** Registers the conformance suite for a checkpoint store. */
export function testCheckpointStore(runner: TestRunner, options: StoreSuiteOptions): void {
  testStore(runner, 'checkpoint', checkpointTests, options)
}
