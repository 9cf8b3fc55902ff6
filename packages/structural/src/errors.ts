import type { ErrorCodeTable } from '@mqb/core'

export const errorCodes: ErrorCodeTable = {
  MQB_SWITCH_UNMATCHED: {
    kind: 'log',
    meaning:
      'Messages match no case of a switch that has no default, and were dropped. At most one line a second, with the count since the line before.',
    mend: 'Add a default to keep such messages; `default: null` drops them without a word.',
  },
}
