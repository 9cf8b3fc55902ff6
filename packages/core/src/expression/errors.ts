import type { EvaluationError } from '@mqb/expression'
import { MqbError } from '../errors/mqb-error.ts'

/**
 * What an expression says about a message that it can not work with. Kind `permanent`: the same message fails again.
 *
 * @param where the place of the expression in the configuration.
 */
export function evaluationError(error: EvaluationError, where: string): MqbError {
  const isPayload = error.kind === 'payload'
  const place = error.line === 0 ? '' : `line ${error.line}, column ${error.column}: `
  return new MqbError({
    kind: 'permanent',
    code: isPayload ? 'MQB_EXPRESSION_PAYLOAD' : 'MQB_EXPRESSION_VALUE',
    where,
    what: `the expression can not be evaluated: ${place}${error.what}`,
    mend: error.mend,
  })
}
