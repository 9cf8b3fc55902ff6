import { readFileSync } from 'node:fs'

/**
 * Prints what runs and how long it took, keeps what failed, and adds everything up in the last line. A phase that fails
 * counts as one failure; what passes in it counts only where single tests are counted.
 */
export class Report {
  /** @type {string[]} */
  #failures = []
  #passed = 0
  #failed = 0
  /** @type {{ file: string, name: string, reason: string }[]} */
  #skipped = []

  /**
   * @param {string} name
   * @param {() => Promise<{ code: number, output: string }>} work
   * @returns {Promise<boolean>} whether it went well
   */
  async phase(name, work) {
    const { code, output, took } = await this.#timed(name, work)
    if (code === 0) {
      this.#passed++
      this.#line('ok', name, took)
      return true
    }
    this.#failed++
    this.#failures.push(name)
    if (output !== '') process.stdout.write(`${output.trimEnd()}\n`)
    this.#line('FAILED', name, took)
    return false
  }

  /**
   * A phase whose single tests are counted, from the summary that `work` leaves in `summaryFile`.
   *
   * @param {string} name
   * @param {string} summaryFile
   * @param {(summaryFile: string) => Promise<{ code: number, output: string }>} work
   */
  async tests(name, summaryFile, work) {
    process.stdout.write(`\n-- ${name}\n`)
    const { code, took } = await this.#timed(name, () => work(summaryFile))
    const summary = readSummary(summaryFile)
    this.#passed += summary.passed
    this.#skipped.push(...summary.skipped)
    // A run that ends badly without a failed test, for instance because it was killed, is a failure too.
    const failed = Math.max(summary.failed, code === 0 ? 0 : 1)
    this.#failed += failed
    if (failed > 0) this.#failures.push(name)
    this.#line(failed === 0 ? 'ok' : 'FAILED', name, took)
  }

  printFailures() {
    if (this.#failures.length > 0) process.stdout.write(`\nfailed: ${this.#failures.join(', ')}\n`)
  }

  /** Prints the end of the report and answers with the exit code. */
  finish() {
    if (this.#skipped.length > 0) {
      process.stdout.write(`\nskipped, by reason:\n${skippedLines(this.#skipped).join('\n')}\n`)
    }
    this.printFailures()
    process.stdout.write(
      `\n${this.#passed} passed, ${this.#failed} failed, ${this.#skipped.length} skipped\n`,
    )
    return this.#failed === 0 ? 0 : 1
  }

  async #timed(name, work) {
    if (process.stdout.isTTY) process.stdout.write(`.. ${name}\r`)
    const start = performance.now()
    const result = await work()
    return { ...result, took: performance.now() - start }
  }

  #line(state, name, took) {
    process.stdout.write(`${state.padEnd(6)} ${name} (${(took / 1000).toFixed(1)} s)\n`)
  }
}

/**
 * Every skipped test by name. There can be hundreds of one kind, so those of one file with one reason share a line.
 *
 * @param {{ file: string, name: string, reason: string }[]} skipped
 */
function skippedLines(skipped) {
  const byReason = new Map()
  for (const { file, name, reason } of skipped) {
    const byFile = byReason.get(reason) ?? new Map()
    byReason.set(reason, byFile)
    byFile.set(file, [...(byFile.get(file) ?? []), name])
  }
  return [...byReason].flatMap(([reason, byFile]) => [
    `  ${reason}`,
    ...[...byFile].map(([file, names]) => `    ${file}: ${names.join('; ')}`),
  ])
}

function readSummary(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 1, skipped: [] }
  }
}
