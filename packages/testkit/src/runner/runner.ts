/**
 * What a suite needs of a test runner: vitest, `node:test`, mocha and others that have these two. Where the runner
 * hands a context to the test (or gives it as `this`), `skip` and notes (`annotate`, `diagnostic`) of it are used.
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
  /** @param note writes a line beside the result, where the runner shows such lines. */
  run(world: World, note: (text: string) => void | Promise<void>): Promise<void>
}

/** `provision` throws it where the system cannot exist on this machine: the test is skipped with this reason. */
export class Unavailable extends Error {
  /** @param reason what is missing: `no PostgreSQL at localhost:5432`. */
  constructor(reason: string) {
    super(reason)
    this.name = 'Unavailable'
  }
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
    runner.it(test.name, async function (this: unknown, ...given: readonly unknown[]) {
      const context = (given[0] ?? this) as Context
      let world: Own
      try {
        world = await setUp()
      } catch (error) {
        // A runner that cannot skip must not show as passed what was never tried.
        if (!(error instanceof Unavailable) || typeof context?.skip !== 'function') throw error
        context.skip(error.message)
        return
      }
      try {
        await test.run(world, text => writeNote(context, text))
      } catch (error) {
        throw withRule(error, test.rule)
      } finally {
        await tearDown(world)
      }
    })
}

// The context of vitest is a function, that of others an object.
type Context = Partial<Record<'skip' | 'annotate' | 'diagnostic', unknown>> | null | undefined

function writeNote(context: Context, text: string): void | Promise<void> {
  if (typeof context?.annotate === 'function') return context.annotate(text)
  if (typeof context?.diagnostic === 'function') return context.diagnostic(text)
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
