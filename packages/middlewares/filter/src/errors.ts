import type { ErrorCodeTable } from '@mqb/core'

export const errorCodes: ErrorCodeTable = {
  MQB_FILTER_UNREADABLE: {
    kind: 'log',
    meaning:
      'A message was left out because the expression cannot judge it, as `on_error: drop` says. Said for the first one; the counter `unreadable` has them all.',
    mend: 'Nothing where the source mixes in such messages; else correct the expression.',
  },
}
