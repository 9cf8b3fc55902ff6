import { ALL_ACKED, defineEndpoint, noCapabilities, type Publisher } from '@mqb/core'
import * as z from 'zod'
import { terminalPublisher } from './terminal.ts'

export const nullConfig = z.null().optional().meta({ description: 'Nothing: the value stays empty.' })

/** Discards what it gets, and says so by an ack. */
function nullPublisher(): Publisher {
  let discarded = 0
  return terminalPublisher({
    target: 'null',
    answer(messages) {
      discarded += messages.length
      return ALL_ACKED
    },
    details: () => ({ discarded }),
  })
}

export const nullEndpoint = defineEndpoint({
  summary: 'Discards every message; the output of a route that names none.',
  config: nullConfig,
  examples: [{ title: 'discard', side: 'output', config: null }],
  structural: true,
  describe: () => 'null',
  // Nothing that could be kept is lost on the way: all of it is discarded, and in order.
  capabilities: () => ({ ...noCapabilities, acks: true, orderedPublish: 'pipelined' }),
  openPublisher: async () => nullPublisher(),
})
