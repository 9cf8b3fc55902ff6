import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRegistry, loadConfig } from '@mqb/core/config'
import { createBridge } from '@mqb/core/runtime'
import { createRecordingLogger } from '@mqb/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import plugin from '../src/index.ts'
import { scratch } from './support/harness.ts'

let folder: ReturnType<typeof scratch>
let home: string
beforeEach(() => {
  folder = scratch()
  home = process.cwd()
  cpSync(join(import.meta.dirname, '..', 'examples'), folder.path('.'), { recursive: true })
  // Paths in examples are relative to where the command runs.
  process.chdir(folder.path('.'))
})
afterEach(() => {
  process.chdir(home)
  folder.remove()
})

async function run(name: string): Promise<void> {
  const registry = createRegistry({ plugins: [plugin] })
  const { routes, problems } = loadConfig({
    file: folder.path(name),
    registry,
    env: {},
    cwd: folder.path('.'),
  })
  expect(problems).toEqual([])
  const bridge = createBridge({ registry, log: createRecordingLogger(), env: {} })
  const loaded = bridge.load(routes)
  await bridge.start()
  for (const route of loaded) expect((await route.ended()).outcome).toBe('completed')
  await bridge.stop()
}

const lines = (name: string): string[] => readFileSync(folder.path(name), 'utf8').trimEnd().split('\n')

it('csv-to-json.yaml', async () => {
  await run('csv-to-json.yaml')
  expect(lines('out/orders.jsonl')).toEqual([
    '{"id":"1","customer":"Ann","amount":"12.50"}',
    '{"id":"2","customer":"Smith; Bob","amount":"7.00"}',
    '{"id":"3","customer":"Carla","amount":"0.99"}',
  ])
})

it('archive.yaml', async () => {
  await run('archive.yaml')
  expect(lines('out/archive.log').map(line => JSON.parse(line).payload.customer)).toEqual([
    'Ann',
    'Smith; Bob',
    'Carla',
  ])
})

it('follow-log.yaml', async () => {
  writeFileSync(folder.path('app.log'), 'one\ntwo\n')
  await run('follow-log.yaml')
  writeFileSync(folder.path('app.log'), 'three\n', { flag: 'a' })
  await run('follow-log.yaml')
  expect(lines('out/shipped.log')).toEqual(['one', 'two', 'three'])
})
