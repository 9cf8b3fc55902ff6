/** One mistake in the text of an expression. */
export interface Problem {
  /** Where it begins, in UTF-16 units from 0. */
  readonly offset: number
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
  /** What is wrong, in one clause. */
  readonly what: string
  /** What to write instead. */
  readonly mend: string
}

/** An expression cannot be compiled. `problems` has every mistake that was found, in the order of the text. */
export class ExpressionError extends SyntaxError {
  override readonly name: string = 'ExpressionError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(problemLine).join('\n'))
    this.problems = problems
  }
}

/** `line 1, column 5: there is no function "lenght"; did you mean "len"?` */
export const problemLine = ({ line, column, what, mend }: Problem): string =>
  `line ${line}, column ${column}: ${what}; ${mend}`

// More than a person reads; a text of nothing but mistakes must not cost more than reading it.
const maxProblems = 50

/** Gathers mistakes while a text is read and checked. */
export class Problems {
  private readonly text: string
  private readonly found: { offset: number; what: string; mend: string }[] = []

  constructor(text: string) {
    this.text = text
  }

  get any(): boolean {
    return this.found.length > 0
  }

  add(offset: number, what: string, mend: string): void {
    if (this.found.length >= maxProblems) return
    if (!this.found.some(other => other.offset === offset)) this.found.push({ offset, what, mend })
  }

  /** @throws {ExpressionError} when there is any */
  check(): void {
    if (!this.any) return
    this.found.sort((one, other) => one.offset - other.offset)
    throw new ExpressionError(this.found.map(problem => ({ ...problem, ...this.position(problem.offset) })))
  }

  private position(offset: number): { line: number; column: number } {
    const before = this.text.slice(0, offset)
    const start = before.lastIndexOf('\n') + 1
    return { line: before.split('\n').length, column: offset - start + 1 }
  }
}
