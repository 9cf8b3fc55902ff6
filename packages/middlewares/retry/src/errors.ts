import { type ErrorCodeTable, MqbError } from '@mqb/core'

export const errorCodes: ErrorCodeTable = {
  MQB_RETRY_EXHAUSTED: {
    kind: 'permanent',
    meaning:
      'A message still failed at the last try. The last failure is the cause; the tries are in the details.',
    mend: 'Look at the cause. Raise max_attempts or the intervals when it goes away by itself; list dlq after retry to keep such messages.',
  },
}

/** @param tries how often the message was sent; `last` is what the last of them said. */
export function exhaustedError(tries: number, last: MqbError, path: string): MqbError {
  return new MqbError({
    kind: 'permanent',
    code: 'MQB_RETRY_EXHAUSTED',
    where: last.where ?? path,
    what: `gave up after ${tries} ${tries === 1 ? 'try' : 'tries'}: ${last.what}`,
    mend: 'raise max_attempts or the intervals if the cause goes away by itself; a dlq after retry keeps the message',
    cause: last,
    details: { ...last.details, attempts: tries },
  })
}

/** A failure that no further try can mend, with the tries that it took to find out. */
export function withAttempts(error: MqbError, tries: number): MqbError {
  return error.with({ details: { ...error.details, attempts: tries } })
}
