import {
  ALL_ACKED,
  assertOutcomeCount,
  closedError,
  failure,
  type Message,
  type Opening,
  type Outcome,
  type Outcomes,
  type Publisher,
  pickMessages,
  scatterOutcomes,
  wrapPublisher,
} from '@mqb/core'
import { transformError } from './errors.ts'
import type { Transformer } from './transformer.ts'

/** Sends transformed messages. What fails is not sent: it fails for good, as the message that was handed in. */
export function transformPublisher(inner: Publisher, transformer: Transformer, opening: Opening): Publisher {
  let closed = false
  return wrapPublisher(inner, {
    async send(given, signal) {
      // What does not fit would fail for good without anybody behind it.
      if (closed) throw closedError()
      const { messages, failures } = transformer.run(given)
      if (failures === undefined) return told(await inner.send(messages, signal), messages, given)
      const positions = [...messages.keys()].filter(position => !failures.has(position))
      const sent = pickMessages(messages, positions)
      const outcomes = sent.length === 0 ? [] : await inner.send(sent, signal)
      const rejected = (position: number): Outcome =>
        failure(transformError(failures.get(position)!, opening.path))
      return scatterOutcomes(
        given.length,
        positions,
        told(outcomes, sent, pickMessages(given, positions)),
        rejected,
      )
    },
    close() {
      closed = true
      return inner.close()
    },
  })
}

/** A failure tells how the message looked where it failed, since those around only know it as it was before. */
function told(outcomes: Outcomes, sent: readonly Message[], given: readonly Message[]): Outcomes {
  if (outcomes === ALL_ACKED || sent === given) return outcomes
  assertOutcomeCount(outcomes, sent.length)
  return outcomes.map((outcome, index) =>
    outcome.kind === 'failure' && outcome.message === undefined && sent[index] !== given[index]
      ? failure(outcome.error, sent[index])
      : outcome,
  )
}
