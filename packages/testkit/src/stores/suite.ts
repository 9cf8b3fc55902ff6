import type { Opening, StoreKind, StoreOf, StoreProvider } from '@mqb/core'
import { createTestOpening } from '../fakes/test-opening.ts'
import { registerTests, type SuiteTest, type TestRunner } from '../runner/runner.ts'
import { settlesWithin } from '../runner/within.ts'

export interface StoreSuiteOptions {
  /** The provider as the plugin has it under its URL scheme. */
  readonly provider: StoreProvider
  /** Called once per test: a store that no other test can see. */
  provision(): ProvisionedStore | Promise<ProvisionedStore>
  /** What is in the store is there again after all openings were closed. Default `true`. */
  readonly durable?: boolean
  /** Title of the group. */
  readonly title?: string
}

export interface ProvisionedStore {
  readonly url: string
  /** Called after the test, when every opening is closed. */
  dispose?(): Promise<void>
}

/** What the tests of a store work with. */
export interface StoreWorld<S> {
  readonly durable: boolean
  /** Another opening of the same store; closed after the test. */
  open(): Promise<S>
}

/** Registers the tests of one kind of store. */
export function testStore<K extends StoreKind>(
  runner: TestRunner,
  kind: K,
  tests: readonly SuiteTest<StoreWorld<StoreOf<K>>>[],
  options: StoreSuiteOptions,
): void {
  runner.describe(options.title ?? `${kind} store conformance`, () => {
    registerTests(
      runner,
      tests,
      async () => {
        const provisioned = await options.provision()
        const stores: StoreOf<K>[] = []
        const opening = createTestOpening()
        return {
          durable: options.durable ?? true,
          async open() {
            const store = await openStore(options.provider, kind, provisioned.url, opening)
            stores.push(store)
            return store
          },
          async tearDown() {
            // A test may have closed it; that it may be closed again is a test of its own.
            for (const store of stores) await settlesWithin((async () => store.close())(), 5_000)
            await provisioned.dispose?.()
          },
        }
      },
      world => world.tearDown(),
    )
  })
}

async function openStore<K extends StoreKind>(
  provider: StoreProvider,
  kind: K,
  url: string,
  opening: Opening,
): Promise<StoreOf<K>> {
  if (provider[kind] === undefined) throw new TypeError(`the provider has no ${kind} store`)
  return (await provider[kind](url, opening)) as StoreOf<K>
}

/** Text that stores tend to break: separators, quotes, wildcards, characters beyond ASCII and beyond 16 bits. */
export const awkwardTexts: readonly string[] = [
  'plain',
  'with space',
  'slash/back\\slash',
  'quote\'double"',
  'per%cent_under',
  'größe',
  '日本',
  '🚀',
  'a:b:c',
  '..',
  'UPPER',
  'upper',
]
