import { type ErrorCodeTable, MqbError } from '@mqb/core'

export const errorCodes: ErrorCodeTable = {
  MQB_SEND_TIMEOUT: {
    kind: 'retryable',
    meaning: 'A send had no answer within timeout_ms. The sink may have taken the messages nevertheless.',
    mend: 'Raise timeout_ms if the sink is slow but sound; otherwise look at the sink.',
  },
}

export interface LateSend {
  /** Messages of the call. */
  readonly count: number
  readonly timeoutMs: number
  /** What did not answer. */
  readonly target: string
  /** Of the middleware, in the configuration. */
  readonly path: string
}

export function sendTimeoutError({ count, timeoutMs, target, path }: LateSend): MqbError {
  return new MqbError({
    kind: 'retryable',
    code: 'MQB_SEND_TIMEOUT',
    where: path,
    what: `${target} did not answer a send of ${count} ${count === 1 ? 'message' : 'messages'} within ${timeoutMs} ms`,
    mend: 'raise timeout_ms if it is slow but sound',
    details: { timeout_ms: timeoutMs },
  })
}
