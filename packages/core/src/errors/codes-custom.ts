import type { ErrorCodeTable } from './code-entry.ts'

/** Codes of endpoints and middlewares that are registered in code by their simple forms. */
export const customCodes: ErrorCodeTable = {
  MQB_CUSTOM_WRONG_SIDE: {
    kind: 'permanent',
    meaning: 'The custom endpoint has no method for the side on which it is used.',
    mend: 'Add `receiveBatch` for an input or `sendBatch` for an output, or use the endpoint on its other side.',
  },
  MQB_CUSTOM_RESULT: {
    kind: ['permanent', 'retryable'],
    meaning:
      'A method of a custom endpoint or middleware returned what it must not. On an input the route ends; on an output the messages stay with their source.',
    mend: 'Return what the error names.',
  },
  MQB_CUSTOM_NACKED: {
    kind: 'retryable',
    meaning: 'The custom endpoint answered a message with `nack`.',
    mend: 'Nothing, if that was meant: the message comes again. An error in place of `nack` says more.',
  },
}
