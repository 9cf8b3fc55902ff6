import { describe, expect, it } from 'vitest'
import { createRecordingRunner } from '../src/index.ts'
import { registerTests, type SuiteTest, type TestRunner } from '../src/runner/runner.ts'

const tests: readonly SuiteTest<string[]>[] = [
  { name: 'passes', rule: 'r', run: async world => void world.push('run') },
  { name: 'skipped', rule: 'r', skip: () => 'not here', run: async () => expect.unreachable() },
  {
    name: 'fails',
    rule: 'nothing may fail',
    run: async () => {
      throw new Error('it failed')
    },
  },
  {
    name: 'throws a text',
    rule: 'nothing may fail',
    run: async () => {
      throw 'a text'
    },
  },
]

function register(runner: TestRunner): string[] {
  const log: string[] = []
  registerTests(
    runner,
    tests,
    async () => log,
    async world => void world.push('torn down'),
  )
  return log
}

describe('registering tests', () => {
  it('tears down after each test, also after one that failed or does not apply', async () => {
    const runner = createRecordingRunner()
    const log = register(runner)
    const results = await runner.run()
    expect(results.map(({ state }) => state)).toEqual(['passed', 'skipped', 'failed', 'failed'])
    expect(log).toEqual(['run', 'torn down', 'torn down', 'torn down', 'torn down'])
    expect(results[1]!.skipReason).toBe('not here')
  })

  it('puts the rule beside the failure, in the message and in the stack', async () => {
    const runner = createRecordingRunner()
    register(runner)
    const [, , failed, text] = await runner.run()
    const error = failed!.error as Error
    expect(error.message).toBe('it failed\n  the contract says: nothing may fail')
    expect(error.stack).toContain('the contract says: nothing may fail')
    expect(String(text!.error)).toContain('a text was thrown')
  })

  it('skips through `this` where the runner passes no context, and takes no callback parameter', async () => {
    const skipped: string[] = []
    const bodies: [string, (this: unknown) => Promise<void>][] = []
    register({ describe: (_, body) => body(), it: (name, body) => bodies.push([name, body]) })
    for (const [name, body] of bodies.slice(0, 2)) {
      expect(body.length).toBe(0)
      await body.call({ skip: () => skipped.push(name) })
    }
    expect(skipped).toEqual(['skipped'])
  })

  it('passes a test that does not apply where the runner knows no skipping', async () => {
    const bodies: (() => Promise<void>)[] = []
    register({ describe: (_, body) => body(), it: (_, body) => bodies.push(body) })
    await bodies[1]!()
  })
})
