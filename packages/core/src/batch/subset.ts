import type { Batch } from '../contract/consumer.ts'
import type { Outcome, Outcomes } from '../contract/outcome.ts'
import type { Message } from '../message/message.ts'
import { assertOutcomeCount, outcomeAt } from '../outcome/outcome.ts'

/**
 * Puts the outcomes of a subset back to the positions of the whole.
 *
 * @param positions where the members of the subset stand in the whole, ascending.
 * @param rest what became of all others: one for all, or one by its position in the whole.
 */
export function scatterOutcomes(
  count: number,
  positions: ArrayLike<number>,
  outcomes: Outcomes,
  rest: Outcome | ((position: number) => Outcome),
): readonly Outcome[] {
  assertOutcomeCount(outcomes, positions.length)
  const all = new Array<Outcome>(count)
  if (typeof rest !== 'function') all.fill(rest)
  let next = 0
  for (let position = 0; position < count; position++) {
    if (next < positions.length && positions[next] === position) all[position] = outcomeAt(outcomes, next++)
    else if (typeof rest === 'function') all[position] = rest(position)
  }
  return all
}

/** The messages at these positions, ascending. */
export function pickMessages(messages: readonly Message[], positions: ArrayLike<number>): readonly Message[] {
  if (positions.length === messages.length) return messages
  const picked = new Array<Message>(positions.length)
  for (let index = 0; index < positions.length; index++)
    picked[index] = messages[positions[index] as number] as Message
  return picked
}

/** A batch of some of the messages of another. The commit tells the source about all: `rest` for those left out. */
export function keepSubset(
  batch: Batch,
  positions: ArrayLike<number>,
  rest: Outcome | ((position: number) => Outcome),
): Batch {
  const count = batch.messages.length
  if (positions.length === count) return batch
  return {
    messages: pickMessages(batch.messages, positions),
    commit: async outcomes => batch.commit(scatterOutcomes(count, positions, outcomes, rest)),
  }
}

/**
 * A batch with another message in place of each. Outcomes go to the source as they are.
 *
 * @throws {TypeError} for another number of messages.
 */
export function replaceOneToOne(batch: Batch, messages: readonly Message[]): Batch {
  if (messages.length !== batch.messages.length)
    throw new TypeError(`${batch.messages.length} messages can not be replaced by ${messages.length}`)
  return { messages, commit: outcomes => batch.commit(outcomes) }
}
