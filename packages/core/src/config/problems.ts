import { MqbError } from '../errors/mqb-error.ts'
import { describeThrown } from '../errors/normalize.ts'
import type { ConfigProblem } from '../plan/plan.ts'
import { printable } from './printable.ts'
import { formatReport } from './report.ts'
import type { Cursor } from './tree/cursor.ts'
import { redactUrl } from './uri/redact.ts'

export interface FindingText {
  readonly code: string
  readonly what: string
  readonly mend: string
  /** It is about the key, not about its value. */
  readonly atKey?: boolean | undefined
}

/** What a plugin threw while it was asked something. `what` introduces a throw that is no error of ours. */
export function faultFinding(thrown: unknown, what: string): FindingText {
  if (MqbError.is(thrown)) return { code: thrown.code, what: thrown.what, mend: thrown.mend ?? '' }
  return {
    code: 'MQB_PLUGIN_FAULT',
    what: `${what}: ${describeThrown(thrown)}`,
    mend: 'report this to the makers of the plugin',
  }
}

interface Entry extends FindingText {
  readonly severity: ConfigProblem['severity']
  readonly cursor: Cursor
}

/** Gathers what is wrong with a configuration; everything, each thing once. */
export class Findings {
  readonly #entries: Entry[] = []
  readonly #seen = new Set<string>()

  error(cursor: Cursor, { code, what, mend, atKey }: FindingText): void {
    this.#add({ severity: 'error', cursor, code, what, mend, atKey })
  }

  warning(cursor: Cursor, { code, what, mend, atKey }: FindingText): void {
    this.#add({ severity: 'warning', cursor, code, what, mend, atKey })
  }

  /** Whether something is an error. */
  get failed(): boolean {
    return this.#entries.some(entry => entry.severity === 'error')
  }

  get entries(): readonly Entry[] {
    return this.#entries
  }

  takeFrom(other: Findings): void {
    for (const entry of other.#entries) this.#accept(entry)
  }

  /**
   * In the order of the files, then by line and column. What has no place comes last, in order of discovery.
   *
   * @param files in the order in which they were laid over one another.
   * @param secrets must not appear, whoever wrote the text: schemas and drivers like to quote what they refuse.
   */
  problems(files: readonly string[] = [], secrets: Iterable<string> = []): ConfigProblem[] {
    const hidden = [...secrets].filter(value => value.length >= 4)
    const problems = this.#entries.map(toProblem).map(problem => clean(problem, hidden))
    return sortProblems(withoutEchoes(problems), files)
  }

  #add(entry: Entry): void {
    if (entry.cursor.origin.reported !== true) this.#accept(entry)
  }

  #accept(entry: Entry): void {
    const identity = `${entry.code}\n${entry.cursor.where}\n${entry.what}`
    if (this.#seen.has(identity)) return
    this.#seen.add(identity)
    this.#entries.push(entry)
  }
}

function clean(problem: ConfigProblem, hidden: readonly string[]): ConfigProblem {
  const hide = (text: string): string =>
    hidden.reduce((shown, value) => shown.replaceAll(value, '***'), redactUrl(text))
  const show = (text: string): string => printable(hide(text))
  return { ...problem, where: printable(problem.where), what: show(problem.what), mend: show(problem.mend) }
}

/** Behind a syntax error the rest of a line is read as something that nobody meant. */
function withoutEchoes(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const syntax = problems.filter(problem => problem.code === 'MQB_CONFIG_SYNTAX')
  const isEcho = ({ code, file, line, column }: ConfigProblem): boolean =>
    code !== 'MQB_CONFIG_SYNTAX' &&
    syntax.some(other => other.file === file && other.line === line && (column ?? 0) >= (other.column ?? 0))
  return problems.filter(problem => !isEcho(problem))
}

/** In the order of the files, then by line and column; what has no place comes last. Keeps the order of equals. */
export function sortProblems(problems: readonly ConfigProblem[], files: readonly string[]): ConfigProblem[] {
  const rank = (problem: ConfigProblem): number => {
    if (problem.file === undefined) return Number.MAX_SAFE_INTEGER
    const index = files.indexOf(problem.file)
    return index < 0 ? files.length : index
  }
  return problems.toSorted(
    (a, b) => rank(a) - rank(b) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  )
}

function toProblem({ severity, code, what, mend, atKey, cursor }: Entry): ConfigProblem {
  const place = cursor.place(atKey)
  return { severity, code, where: cursor.where, what, mend, ...place }
}

/** A configuration that cannot be used. The message is the whole report. */
export class ConfigError extends MqbError {
  override readonly name: string = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    const errors = problems.filter(problem => problem.severity === 'error')
    const first = errors[0]
    super({
      kind: 'config',
      code: errors.length === 1 && first !== undefined ? first.code : 'MQB_CONFIG_INVALID',
      what:
        errors.length === 1
          ? `the configuration cannot be used\n${formatReport(errors)}`
          : `the configuration cannot be used, ${errors.length} problems were found\n${formatReport(errors)}`,
    })
    this.problems = problems
  }
}

/** @throws {ConfigError} when one of them is an error. */
export function assertUsable(problems: readonly ConfigProblem[]): void {
  if (problems.some(problem => problem.severity === 'error')) throw new ConfigError(problems)
}
