import type { Outcomes } from '../../contract/outcome.ts'
import type { Publisher } from '../../contract/publisher.ts'
import { toMqbError } from '../../errors/normalize.ts'
import { checkedAnswer } from './outcome-scan.ts'

/** The checks of a shell for an endpoint that is made of others, and so has no connection of its own. */
export function guardPublisher(inner: Publisher, where: string): Publisher {
  return {
    async send(messages, signal): Promise<Outcomes> {
      try {
        return checkedAnswer(await inner.send(messages, signal), messages.length, where)
      } catch (thrown) {
        throw toMqbError(thrown, 'retryable', where)
      }
    },
    flush: () => inner.flush(),
    status: () => inner.status(),
    close: () => inner.close(),
  }
}
