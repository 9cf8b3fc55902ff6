import type { TestRunner } from './runner.ts'

export interface RecordedTest {
  /** Without the names of the groups around it. */
  readonly name: string
  readonly group: readonly string[]
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly error?: unknown
  readonly skipReason?: string
  /** What the test wrote beside its result. */
  readonly notes: readonly string[]
}

/** Collects the tests of a suite instead of reporting them, to run a suite inside of a test. */
export interface RecordingRunner extends TestRunner {
  /** Runs what was collected, one test after the other; only those whose name `wanted` accepts. */
  run(wanted?: (name: string) => boolean): Promise<readonly RecordedTest[]>
}

// Suites read the context that runners pass, although the type of a runner does not say so.
type TestBody = (context?: unknown) => Promise<void>

export function createRecordingRunner(): RecordingRunner {
  const groups: string[] = []
  const collected: { name: string; group: readonly string[]; body: TestBody }[] = []
  return {
    describe(name, body) {
      groups.push(name)
      body()
      groups.pop()
    },
    it(name, body) {
      collected.push({ name, group: [...groups], body })
    },
    async run(wanted = () => true) {
      const results: RecordedTest[] = []
      for (const { name, group, body } of collected) {
        if (!wanted(name)) continue
        let skipReason: string | undefined
        const notes: string[] = []
        const context = {
          skip(reason: string) {
            skipReason = reason
          },
          diagnostic(text: string) {
            notes.push(text)
          },
        }
        try {
          await body(context)
          results.push(
            skipReason === undefined
              ? { name, group, state: 'passed', notes }
              : { name, group, state: 'skipped', skipReason, notes },
          )
        } catch (error) {
          results.push({ name, group, state: 'failed', error, notes })
        }
      }
      return results
    },
  }
}
