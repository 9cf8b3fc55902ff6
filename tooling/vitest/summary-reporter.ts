import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node'
import { workspaceRoot } from '../workspace/packages.ts'

/** What `tooling/bootstrap/report.mjs` adds up. */
interface TestSummary {
  passed: number
  failed: number
  skipped: { file: string; name: string; reason: string }[]
}

/** Counts single tests and names the skipped ones with their reason, in the file that `MQB_TEST_SUMMARY` names. */
export class SummaryReporter implements Reporter {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const summary: TestSummary = { passed: 0, failed: errors.length, skipped: [] }
    for (const module of modules) {
      const file = relative(workspaceRoot, module.moduleId)
      let failedTests = 0
      for (const test of module.children.allTests()) {
        const result = test.result()
        if (result.state === 'passed') summary.passed++
        else if (result.state === 'failed') failedTests++
        else summary.skipped.push({ file, name: test.fullName, reason: skipReason(test) })
      }
      // A file that could not be loaded, or whose hooks failed, may have no failed test.
      summary.failed += Math.max(failedTests, module.ok() ? 0 : 1)
    }
    writeFileSync(this.#file, JSON.stringify(summary))
  }
}

function skipReason(test: TestCase): string {
  const result = test.result()
  if (result.state === 'skipped' && result.note !== undefined) return result.note
  if (test.options.mode === 'todo') return 'not written yet'
  return 'no reason given'
}
