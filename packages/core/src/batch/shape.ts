import type { Batch } from '../contract/consumer.ts'
import type { Outcome, Outcomes } from '../contract/outcome.ts'
import type { Message } from '../message/message.ts'
import { ALL_ACKED } from '../outcome/all-acked.ts'
import { ack, assertOutcomeCount, failure, outcomeAt, repeat, worstOutcome } from '../outcome/outcome.ts'

/**
 * What N source messages are told about the one that they became. Acks and failures go to all; a reply has nobody to
 * go to and becomes an ack.
 *
 * @param count of the source messages.
 * @param onReplyLost called when a reply was dropped; warn once.
 */
export function collapseOutcome(outcome: Outcome, count: number, onReplyLost: () => void): Outcomes {
  if (outcome.kind === 'reply') {
    onReplyLost()
    return ALL_ACKED
  }
  // The message that failed is the joined one; a source message is still the one that its source knows.
  return repeat(
    outcome.kind === 'failure' && outcome.message !== undefined ? failure(outcome.error) : outcome,
    count,
  )
}

/** A batch of one message made of all messages of another. */
export function collapse(batch: Batch, message: Message, onReplyLost: () => void): Batch {
  const count = batch.messages.length
  return {
    messages: [message],
    commit: async outcomes => {
      assertOutcomeCount(outcomes, 1)
      await batch.commit(collapseOutcome(outcomeAt(outcomes, 0), count, onReplyLost))
    },
  }
}

/**
 * What N source messages are told about the parts that they were split into: the worst outcome of the parts counts.
 *
 * @param owners for each part the position of its source message, ascending.
 * @param count of the source messages.
 * @param none what a source message without any part is told; `delivered` when left out.
 */
export function expandOutcomes(
  outcomes: Outcomes,
  owners: ArrayLike<number>,
  count: number,
  none: Outcome = ack('delivered'),
): Outcomes {
  assertOutcomeCount(outcomes, owners.length, 'parts')
  const merged = new Array<Outcome>(count).fill(none)
  let part = 0
  while (part < owners.length) {
    const owner = owners[part] as number
    const own: Outcome[] = []
    for (; part < owners.length && owners[part] === owner; part++) own.push(outcomeAt(outcomes, part))
    const worst = worstOutcome(own)
    merged[owner] = worst.kind === 'failure' && worst.message !== undefined ? failure(worst.error) : worst
  }
  return merged
}

/**
 * A batch of the parts of the messages of another. A source message is settled when all of its parts are.
 *
 * @param owners as for `expandOutcomes`, and so is `none`.
 */
export function expand(
  batch: Batch,
  parts: readonly Message[],
  owners: ArrayLike<number>,
  none?: Outcome,
): Batch {
  const count = batch.messages.length
  return {
    messages: parts,
    commit: async outcomes => batch.commit(expandOutcomes(outcomes, owners, count, none)),
  }
}
