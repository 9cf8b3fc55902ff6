import { compileExpression, EvaluationError, ExpressionError, toJson } from '@mqb/expression'

/** What an expression says: JSON text, or why it says nothing. */
export type Evaluation =
  | { readonly json: string }
  /** `expression`: it has a mistake. `value`: it does not work for these values. */
  | { readonly fault: 'expression' | 'value'; readonly problems: readonly EvaluationProblem[] }

export interface EvaluationProblem {
  /** In the expression, from 1; left out where nothing in it is at fault. */
  readonly line?: number
  readonly column?: number
  readonly what: string
  readonly mend: string
}

/**
 * @param input the payload, as bytes, so that no digit of it is lost.
 * @param metadataPairs flat `[key, value, …]`.
 */
export function evaluate(
  expression: string,
  input: Uint8Array,
  metadataPairs: readonly string[],
): Evaluation {
  try {
    const compiled = compileExpression(expression)
    return { json: toJson(compiled.evaluate({ bytes: input, start: 0, end: input.length, metadataPairs })) }
  } catch (error) {
    if (error instanceof ExpressionError) return { fault: 'expression', problems: error.problems }
    if (error instanceof EvaluationError) return { fault: 'value', problems: [problemOf(error)] }
    // A result that nests too deep to be written.
    if (error instanceof RangeError)
      return { fault: 'value', problems: [{ what: error.message, mend: 'take a part of it' }] }
    throw error
  }
}

function problemOf({ line, column, what, mend }: EvaluationError): EvaluationProblem {
  return line === 0 ? { what, mend } : { line, column, what, mend }
}

/** `line 1, column 5: there is no function "lenght"; did you mean "len"?` */
export function problemLine(problem: EvaluationProblem): string {
  return `${positionOf(problem)}${problem.what}; ${problem.mend}`
}

/** `line 1, column 5: `, or nothing. */
export function positionOf({ line, column }: EvaluationProblem): string {
  return line === undefined ? '' : `line ${line}, column ${column}: `
}
