import { join } from 'node:path'
import { createRegistry, loadConfig } from '@mqb/core/config'
import { createBridge } from '@mqb/core/runtime'
import { createRecordingLogger } from '@mqb/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import structural from '../src/index.ts'

const folder = join(import.meta.dirname, '..', 'examples')

describe('the examples', () => {
  it('drain a source that never ends after one batch', async () => {
    const registry = createRegistry({ plugins: [structural] })
    const file = join(folder, 'numbers.yaml')
    const { routes, problems } = loadConfig({ file, registry, env: {}, cwd: folder })
    expect(problems).toEqual([])
    const bridge = createBridge({ registry, log: createRecordingLogger(), env: {} })
    onTestFinished(async () => {
      await bridge.stop()
    })
    const [route] = bridge.load(routes)
    await bridge.start()
    expect(await route?.ended()).toMatchObject({ outcome: 'completed', counts: { in: 5, delivered: 5 } })
  })
})
