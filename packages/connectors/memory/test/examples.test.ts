import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createRegistry, loadConfig } from '@mqb/core/config'
import { type BridgeRoute, createBridge } from '@mqb/core/runtime'
import structural from '@mqb/structural'
import { createRecordingLogger } from '@mqb/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import memory from '../src/index.ts'
import { until } from './support/ends.ts'
import { scratchFolder } from './support/process.ts'

const folder = join(import.meta.dirname, '..', 'examples')

/** Runs an example until the routes that end have ended. */
async function run(name: string, env: Record<string, string> = {}): Promise<Map<string, BridgeRoute>> {
  const registry = createRegistry({ plugins: [memory, structural] })
  const { routes, problems } = loadConfig({ file: join(folder, name), registry, env, cwd: folder })
  expect(problems).toEqual([])
  const bridge = createBridge({ registry, log: createRecordingLogger(), env: {} })
  onTestFinished(async () => {
    await bridge.stop()
  })
  const loaded = bridge.load(routes)
  await bridge.start()
  for (const route of loaded) {
    if (route.plan.options.exit_on_empty) expect((await route.ended()).outcome).toBe('completed')
  }
  return new Map(loaded.map(route => [route.name, route]))
}

const delivered = (routes: Map<string, BridgeRoute>, name: string): number =>
  routes.get(name)!.status().messages

describe('the examples', () => {
  it('join two routes by a topic', async () => {
    const routes = await run('chain.yaml')
    await until(() => delivered(routes, 'write') === 512, 'the second route has everything')
    expect(delivered(routes, 'read')).toBe(512)
  })

  it('let one route ask another', async () => {
    const routes = await run('request-reply.yaml')
    expect(delivered(routes, 'ask')).toBe(1)
    expect(delivered(routes, 'answer')).toBe(1)
  })

  it('hand batches through a socket', async () => {
    const routes = await run('socket.yaml', { SOCKET: `unix://${join(scratchFolder(), 'x.sock')}` })
    await until(() => delivered(routes, 'receive') === 512, 'the consumer has everything')
  })

  it('are all run here', () => {
    expect(readdirSync(folder).sort()).toEqual(['chain.yaml', 'request-reply.yaml', 'socket.yaml'])
  })
})
