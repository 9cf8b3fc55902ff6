import { beforeAll, describe, expect, it } from 'vitest'
import { type FaultyMiddleware, faultyMiddlewares } from '../src/faulty/index.ts'
import { createRecordingRunner, testMiddleware } from '../src/index.ts'
import { middlewareInputTests } from '../src/middleware/input-tests.ts'
import { middlewareOutputTests } from '../src/middleware/output-tests.ts'

/** Names of the tests that failed, each once, although the connector suite runs around several endpoints. */
async function failures(fault: FaultyMiddleware): Promise<string[]> {
  const runner = createRecordingRunner()
  testMiddleware(runner, {
    plugin: fault.plugin,
    middleware: 'faulty',
    limits: { quietMs: 10, drainIdleMs: 10, patienceMs: 800, closeMs: 150 },
  })
  // What the process holds open is looked at by the tests of the faulty connectors, which run alone.
  const results = await runner.run(name => !name.endsWith('leaves nothing open'))
  return [...new Set(results.filter(test => test.state === 'failed').map(test => test.name))]
}

const failed = new Map<FaultyMiddleware, string[]>()

beforeAll(async () => {
  await Promise.all(faultyMiddlewares.map(async fault => failed.set(fault, await failures(fault))))
}, 120_000)

describe('faulty middlewares', () => {
  it.each(faultyMiddlewares.map(fault => [fault.name, fault] as const))(
    'the suite catches %s',
    (_, fault) => {
      expect(failed.get(fault)!.sort()).toEqual([...fault.breaks, ...fault.alsoBreaks].sort())
    },
  )

  it('break every test that is about middlewares alone', () => {
    const broken = new Set(faultyMiddlewares.flatMap(fault => fault.breaks))
    const own = [...middlewareInputTests, ...middlewareOutputTests].map(test => test.name)
    expect(own.filter(name => !broken.has(name))).toEqual([])
  })
})
