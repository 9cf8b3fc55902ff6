import { describe, expect, it } from 'vitest'
import { bundledPlugins } from '../../src/catalogue.generated.ts'
import { loadBundledPlugins, namesIn } from '../../src/plugins/bundled.ts'

const loaded = async (...texts: string[]): Promise<string[]> =>
  (await loadBundledPlugins(namesIn(texts))).map(({ name }) => name)

describe('what comes with the command', () => {
  it('is loaded where something names a part of it', async () => {
    expect(await loaded('file:a.csv', 'null:')).toEqual(['@mqb/file', '@mqb/structural'])
    expect(await loaded('-?format=csv', '-|random-panic')).toEqual(['@mqb/file', '@mqb/random-panic'])
    expect(await loaded('static:?body=x', 'null:|dlq?endpoint=memory%3At')).toEqual([
      '@mqb/dlq',
      '@mqb/memory',
      '@mqb/structural',
    ])
    expect(await loaded('{"input":{"file":{"path":"x"},"middlewares":[{"buffer":{}}]}}')).toEqual([
      '@mqb/buffer',
      '@mqb/file',
    ])
    expect(await loaded('nothing at all')).toEqual([])
  })

  it('is loaded altogether where nothing is said', async () => {
    expect(await loadBundledPlugins()).toHaveLength(bundledPlugins.length)
  })
})
