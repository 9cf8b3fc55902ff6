import { describe, expect, it } from 'vitest'
import { runForResult, runNode } from '../child.ts'

describe('a measured child process', () => {
  it('reports its own peak memory, not that of its parent', async () => {
    const small = await runNode(['-e', '0'])
    const large = await runNode(['-e', 'Buffer.alloc(200 * 2 ** 20, 1)'])
    expect(small.rssMb).toBeGreaterThan(10)
    expect(large.rssMb - small.rssMb).toBeGreaterThan(190)
    expect(large.rssMb - small.rssMb).toBeLessThan(230)
  })

  it('hands back the value in the last line of its output', async () => {
    const { result } = await runForResult<{ ns: number }>([
      '-e',
      'console.log("warm"); console.log(\'{"ns":5}\')',
    ])
    expect(result).toEqual({ ns: 5 })
  })

  it('fails with what a broken program wrote to stderr', async () => {
    await expect(runNode(['-e', 'throw new Error("no such file")'])).rejects.toThrow('no such file')
  })
})
