import { defineMiddleware, definePlugin, wrapConsumer } from '@mqb/core'
import { createBridge, silentLogger } from '@mqb/core/runtime'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { createFaultProxy, type FaultProxy } from '../src/index.ts'
import { becomesTrue } from '../src/runner/within.ts'
import { storePlugin, TcpStore } from './support/tcp-store.ts'

const cuts = 200

/** How many of each thing the process holds open: sockets, timers, servers. */
async function held(): Promise<Record<string, number>> {
  // What is closing is gone in the next turn of the loop.
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
  const counts: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo())
    if (/TCP|Timeout/.test(name)) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** Fewer is fine: timers of the start and of the runner come and go. */
function expectNoMore(now: Record<string, number>, before: Record<string, number>): void {
  for (const [name, count] of Object.entries(now)) expect(count, name).toBeLessThanOrEqual(before[name] ?? 0)
}

async function until(condition: () => boolean, what: string): Promise<void> {
  expect(await becomesTrue(condition, 30_000, 1), what).toBe(true)
}

it('a route whose input, output and branch are cut 200 times each under load loses nothing and leaves nothing', {
  timeout: 120_000,
}, async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error): void => {
    warnings.push(warning)
  }
  process.on('warning', onWarning)
  onTestFinished(() => {
    process.off('warning', onWarning)
  })
  const source = new TcpStore()
  const main = new TcpStore()
  const branch = new TcpStore()
  const stores = [source, main, branch]
  const proxies: FaultProxy[] = []
  for (const store of stores) proxies.push(await createFaultProxy({ target: { port: await store.listen() } }))
  const before = await held()

  let aggregated = 0
  const totals = definePlugin({
    name: 'mqb-test-totals',
    middlewares: {
      totals: defineMiddleware({
        summary: 'Adds up.',
        config: z.strictObject({}),
        examples: [],
        wrapConsumer: inner =>
          wrapConsumer(inner, {
            async receive(limit, signal) {
              const batch = await inner.receive(limit, signal)
              aggregated += batch.messages.length
              return batch
            },
          }),
      }),
    },
  })
  const bridge = createBridge({ plugins: [storePlugin, totals], log: silentLogger })
  const [input, output, other] = proxies.map(({ port }) => ({ store: { port } }))
  const route = bridge.route('r', {
    concurrency: 4,
    batch_size: 5,
    reconnect_interval_ms: 1,
    input: { ...input, middlewares: ['totals'] },
    output: { both: { to: [output, other] } },
  })
  await route.start()
  const running = await held()

  let fed = 0
  const feed = (): void => source.add(...Array.from({ length: 20 }, () => `m${fed++}`))
  for (let round = 0; round < cuts; round++) {
    feed()
    // All three are up and busy, then one after the other goes in the middle of it.
    for (const proxy of proxies) {
      const moved = proxy.counters.bytesToTarget
      await until(
        () => proxy.counters.open === 1 && proxy.counters.bytesToTarget > moved,
        `traffic in round ${round}`,
      )
      feed()
      await proxy.cut()
    }
  }
  const all = Array.from({ length: fed }, (_, at) => `m${at}`).sort()
  await until(() => source.done.length >= fed && route.status().counts.inFlight === 0, 'everything settled')
  await until(() => route.status().state === 'running', 'calm')
  expect([...source.done].sort()).toEqual(all)
  expect([...new Set(main.stored)].sort()).toEqual(all)
  expect([...new Set(branch.stored)].sort()).toEqual(all)
  const { counts, reconnects, balanced } = route.status()
  expect(reconnects).toBeGreaterThanOrEqual(3 * cuts)
  expect(balanced).toBe(true)
  expect(counts.in).toBe(aggregated)
  // As many sockets and timers as before the first cut, and none of the route after its stop.
  expectNoMore(await held(), running)
  await route.stop()
  for (const proxy of proxies) await until(() => proxy.counters.open === 0, 'closed')
  expectNoMore(await held(), before)
  expect(warnings).toEqual([])
  for (const proxy of proxies) await proxy.close()
  for (const store of stores) await store.close()
})
