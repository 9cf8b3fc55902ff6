import { compileExpression, EvaluationError, type Site } from '@mqb/expression'
import type { Opening } from '../contract/opening.ts'
import type { Message } from '../message/message.ts'
import { evaluationError } from './errors.ts'

/** An expression that says yes or no about a message. */
export interface Condition {
  readonly source: string
  /** It names payload fields. Without any the payload of a message is never looked at. */
  readonly readsPayload: boolean
  /**
   * @throws {MqbError} kind `permanent`: `MQB_EXPRESSION_PAYLOAD` for a payload that is no JSON object,
   *   `MQB_EXPRESSION_VALUE` for values that do not fit and for a result that is neither true nor false.
   */
  test(message: Message): boolean
}

/** Where a condition stands, and where it says what it met. */
export type ConditionPlace = Pick<Opening, 'path' | 'log'>

/**
 * Compiles a text that an `expression({ purpose: 'predicate' })` field has checked. A value that is absent or of another
 * type than is needed makes its comparison false; the condition warns about it once.
 */
export function compileCondition(source: string, { path, log }: ConditionPlace): Condition {
  let warned = false
  const expression = compileExpression(source, {
    purpose: 'predicate',
    onMissing(site) {
      if (warned) return
      warned = true
      log.warn(
        `${positionOf(site)}: a value is absent, or not of the type that is needed; such a comparison is false, and this is said once`,
        { code: 'MQB_EXPRESSION_MISSING', where: path },
      )
    },
  })
  return {
    source,
    readsPayload: expression.payloadPaths.length > 0,
    test(message) {
      try {
        return expression.test(message)
      } catch (error) {
        throw error instanceof EvaluationError ? evaluationError(error, path) : error
      }
    },
  }
}

function positionOf({ source, offset }: Site): string {
  const before = source.slice(0, offset)
  return `line ${before.split('\n').length}, column ${offset - before.lastIndexOf('\n')} of the expression`
}
