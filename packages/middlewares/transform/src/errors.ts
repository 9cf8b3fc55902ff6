import { type ErrorCodeTable, MqbError } from '@mqb/core'
import type { FailureKind, TransformFailure } from './failure.ts'

export const errorCodes: ErrorCodeTable = {
  MQB_TRANSFORM_FAILED: {
    kind: 'permanent',
    meaning:
      'A message does not fit the mapping, the expression or the schema. The text names the field and the reason.',
    mend: 'Correct the message or the schema. A dlq on the output keeps such messages; on_error: pass_through lets them through.',
  },
  MQB_TRANSFORM_SCHEMA: {
    kind: 'config',
    meaning: 'The file of schema_file cannot be read, is not JSON, or holds a schema with a mistake in it.',
    mend: 'Correct the path, or the keyword that the error names.',
  },
}

/** What becomes of a message that cannot be transformed. */
export function transformError(failure: TransformFailure, where: string): MqbError {
  const { path, kind } = failure
  return new MqbError({
    kind: 'permanent',
    code: 'MQB_TRANSFORM_FAILED',
    where,
    what: failure.message,
    mend: mends[kind],
    details: { path, reason: kind },
  })
}

const mends: Readonly<Record<FailureKind, string>> = {
  json: 'send JSON as UTF-8 text, or keep such messages away from transform',
  required: 'send the field, or give it a default',
  expression: 'test for such values in the expression',
  type: 'send the type that the schema names, or change the schema',
  coercion: 'send a text that stands for such a value, or change the schema',
  enum: 'send one of the values that the schema lists, or extend the list',
  content: 'send a JSON document in the text, or remove contentMediaType from the schema',
}
