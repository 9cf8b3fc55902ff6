import { type CompileOptions, compileExpression, ExpressionError } from '@mqb/expression'
import * as z from 'zod'
import '../config/meta.ts'
import type { NestedFinding } from '../config/planner-slot.ts'

export type ExpressionFieldOptions = Pick<CompileOptions, 'purpose' | 'roots'>

/**
 * A text in the expression language. It is checked while the configuration is read: every mistake is reported there,
 * with its line and column. The component gets the text and compiles it with what it knows then.
 */
export function expression(options: ExpressionFieldOptions = {}): z.ZodType<string, string> {
  return z
    .string()
    .check(context => {
      for (const finding of findingsOf(context.value, options))
        context.issues.push({
          code: 'custom',
          path: [],
          message: finding.what,
          params: { finding },
          input: context.value,
        })
    })
    .meta({ expression: true })
}

function findingsOf(text: string, options: ExpressionFieldOptions): NestedFinding[] {
  const finding = (what: string, mend: string): NestedFinding => ({
    code: 'MQB_EXPRESSION_INVALID',
    path: [],
    what,
    mend,
  })
  if (text.trim() === '') return [finding('the expression is empty', 'write one, for example: amount > 100')]
  try {
    compileExpression(text, options)
    return []
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return error.problems.map(({ line, column, what, mend }) =>
      finding(`line ${line}, column ${column} of the expression: ${what}`, mend),
    )
  }
}
