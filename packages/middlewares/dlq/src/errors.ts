import { type ErrorCodeTable, MqbError } from '@mqb/core'

export const errorCodes: ErrorCodeTable = {
  MQB_DLQ_FAILED: {
    kind: ['retryable', 'connection'],
    meaning:
      'A message can not be delivered and the dead-letter endpoint did not take it either, so it stays with its source. Of kind connection where the dead-letter endpoint was not reachable.',
    mend: 'Look at the cause: it is what the dead-letter endpoint answered.',
  },
  MQB_DEAD_LETTERED: {
    kind: 'log',
    meaning:
      'Messages failed for good and the dead-letter endpoint took them. At most one line a second, with the count since the line before.',
    mend: 'Read the reason in the metadata of the dead letters, mend its cause, replay them.',
  },
}

/**
 * Never `permanent`, whatever the dead-letter endpoint says: its copy would have been the last one.
 *
 * @param original why the message became a dead letter.
 */
export function deadLetterFailedError(cause: MqbError, original: MqbError, path: string): MqbError {
  return new MqbError({
    kind: cause.kind === 'connection' ? 'connection' : 'retryable',
    code: 'MQB_DLQ_FAILED',
    where: cause.where ?? path,
    what: `the dead-letter endpoint did not take a message: ${cause.what}`,
    mend: cause.mend ?? 'the message stays with its source until the dead-letter endpoint takes it',
    cause,
    details: { failure: original.code },
  })
}
