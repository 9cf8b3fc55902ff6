import { MqbError } from './mqb-error.ts'

const code = 'MQB_NOT_SENT'

/**
 * For messages that were not tried because one before them failed: what an ordered publisher reports after the message
 * that failed, and a layer that stops in the middle of a call. Kind `retryable`; `retry` does not count it as a try.
 */
export function notSentError(cause?: MqbError): MqbError {
  return new MqbError({
    kind: 'retryable',
    code,
    what: 'not sent, because a message before it failed',
    ...(cause === undefined ? {} : { cause }),
  })
}

/** Whether the message that failed with it was never tried. */
export function isNotSent(error: MqbError): boolean {
  return error.code === code
}
