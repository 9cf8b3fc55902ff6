import { describe, expect, it } from 'vitest'
import { createRecordingRunner, type SuiteTest, type TestRunner, Unavailable } from '../src/index.ts'
import { registerTests } from '../src/runner/runner.ts'

const tests: readonly SuiteTest<string[]>[] = [
  {
    name: 'passes',
    rule: 'r',
    async run(world, note) {
      world.push('run')
      await note('a line beside it')
    },
  },
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

function register(runner: TestRunner, setUp?: () => Promise<string[]>): string[] {
  const log: string[] = []
  registerTests(runner, tests, setUp ?? (async () => log), async world => void world.push('torn down'))
  return log
}

const noServer = async () => {
  throw new Unavailable('no server here')
}

/** What a runner hands out, as functions. */
function bodies(setUp?: () => Promise<string[]>): ((this: unknown, context?: unknown) => Promise<void>)[] {
  const found: ((this: unknown, context?: unknown) => Promise<void>)[] = []
  register({ describe: (_, body) => body(), it: (_, body) => found.push(body) }, setUp)
  return found
}

describe('registering tests', () => {
  it('tears down after each test, also after one that failed', async () => {
    const runner = createRecordingRunner()
    const log = register(runner)
    const results = await runner.run()
    expect(results.map(({ state }) => state)).toEqual(['passed', 'failed', 'failed'])
    expect(log).toEqual(['run', 'torn down', 'torn down', 'torn down'])
  })

  it('puts the rule beside the failure, in the message and in the stack', async () => {
    const runner = createRecordingRunner()
    register(runner)
    const [, failed, text] = await runner.run()
    const error = failed!.error as Error
    expect(error.message).toBe('it failed\n  the contract says: nothing may fail')
    expect(error.stack).toContain('the contract says: nothing may fail')
    expect(String(text!.error)).toContain('a text was thrown')
  })

  it('skips what cannot exist on this machine, with the reason', async () => {
    const runner = createRecordingRunner()
    register(runner, noServer)
    const results = await runner.run()
    expect(results.map(({ state, skipReason }) => [state, skipReason])).toEqual(
      tests.map(() => ['skipped', 'no server here']),
    )
  })

  it('skips through `this` where the runner passes no context, and takes no callback parameter', async () => {
    const skipped: string[] = []
    const [body] = bodies(noServer)
    expect(body!.length).toBe(0)
    await body!.call({ skip: (reason: string) => skipped.push(reason) })
    expect(skipped).toEqual(['no server here'])
  })

  it('fails what cannot exist on this machine where the runner knows no skipping', async () => {
    const [body] = bodies(noServer)
    await expect(body!.call(undefined)).rejects.toThrow('no server here')
  })

  it('writes notes with the means of the runner, and nowhere where it has none', async () => {
    const notes: string[] = []
    const [body] = bodies()
    await body!.call(undefined, { annotate: async (text: string) => notes.push(`annotated: ${text}`) })
    await body!.call(undefined, { diagnostic: (text: string) => notes.push(`diagnostic: ${text}`) })
    await body!.call(undefined)
    expect(notes).toEqual(['annotated: a line beside it', 'diagnostic: a line beside it'])
  })
})
