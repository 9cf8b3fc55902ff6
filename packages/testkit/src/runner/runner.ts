/**
 * What a suite needs of a test runner: vitest, `node:test`, mocha and others that have these two. Where the runner
 * hands a context with `skip` to the test (or as `this`), a test that does not apply is reported as skipped.
 */
export interface TestRunner {
  describe(name: string, body: () => void): unknown
  // Runners hand different things to the body; the suites declare no parameter and look at what came.
  it(name: string, body: () => Promise<void>): unknown
}

/** One test of a suite. */
export interface SuiteTest<World> {
  /** Unique within its suite, and stable: reports and the tests of the kit refer to it. */
  readonly name: string
  /** What the contract says; shown when the test fails. */
  readonly rule: string
  /** Why the test does not apply; `undefined` when it does. */
  skip?(world: World): string | undefined
  run(world: World): Promise<void>
}

/** Registers tests; each gets a world of its own, which is torn down afterwards whatever happened. */
export function registerTests<World, Own extends World = World>(
  runner: TestRunner,
  tests: readonly SuiteTest<World>[],
  setUp: () => Promise<Own>,
  tearDown: (world: Own) => Promise<void>,
): void {
  // No named parameter: mocha and node:test take a second one for a callback that they would wait for.
  for (const test of tests)
    runner.it(test.name, async function (this: unknown, ...context: readonly unknown[]) {
      const world = await setUp()
      let reason: string | undefined
      try {
        reason = test.skip?.(world)
        if (reason === undefined) await test.run(world)
      } catch (error) {
        throw withRule(error, test.rule)
      } finally {
        await tearDown(world)
      }
      // Last, because some runners leave the test by throwing here.
      if (reason !== undefined) skipTest(context[0] ?? this, reason)
    })
}

function skipTest(context: unknown, reason: string): void {
  // The context of vitest is a function, that of others an object.
  const holder = context as { skip?: unknown } | null | undefined
  if (typeof holder?.skip === 'function') holder.skip(reason)
}

function withRule(error: unknown, rule: string): unknown {
  if (!(error instanceof Error)) return new Error(`${String(error)} was thrown\n  the contract says: ${rule}`)
  // The stack carries a copy of the message, and it is what most runners print.
  const addition = `\n  the contract says: ${rule}`
  const { message, stack } = error
  error.message = message + addition
  if (stack?.includes(message) === true) error.stack = stack.replace(message, () => message + addition)
  return error
}
