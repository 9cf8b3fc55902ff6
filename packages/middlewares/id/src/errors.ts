import type { ErrorCodeTable } from '@mqb/core'

export const errorCodes: ErrorCodeTable = {
  MQB_ID_UNRESOLVED: {
    kind: 'log',
    meaning: 'A token of the template of id does not resolve for a message, which goes on without `mqb.id`.',
    mend: 'Name fields that every message has, or accept that those without them have no identity.',
  },
}
