import type { AckReason, Outcome, Outcomes } from '../contract/outcome.ts'
import type { MqbError } from '../errors/mqb-error.ts'
import { Message } from '../message/message.ts'
import { ALL_ACKED } from './all-acked.ts'

const acks = Object.freeze({
  delivered: Object.freeze({ kind: 'ack', as: 'delivered' }),
  handled: Object.freeze({ kind: 'ack', as: 'handled' }),
  filtered: Object.freeze({ kind: 'ack', as: 'filtered' }),
  duplicate: Object.freeze({ kind: 'ack', as: 'duplicate' }),
  joined: Object.freeze({ kind: 'ack', as: 'joined' }),
  dead_lettered: Object.freeze({ kind: 'ack', as: 'dead_lettered' }),
  dropped: Object.freeze({ kind: 'ack', as: 'dropped' }),
} as const satisfies Record<AckReason, Outcome>)

/** One shared object per reason. */
export function ack(as: AckReason = 'delivered'): Outcome {
  return acks[as]
}

/** Done, with an answer for whoever asked. */
export function reply(message: Message): Outcome {
  return { kind: 'reply', message }
}

/** @param message as it was where it failed; left out when it is still the one that was handed in. */
export function failure(error: MqbError, message?: Message): Outcome {
  return message === undefined ? { kind: 'failure', error } : { kind: 'failure', error, message }
}

/** Whether something that a plugin answered is an outcome. The error of a failure may still be anything. */
export function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== 'object' || value === null) return false
  const { kind, as, message } = value as { kind?: unknown; as?: unknown; message?: unknown }
  if (kind === 'ack')
    return typeof as === 'string' && (value === acks[as as AckReason] || Object.hasOwn(acks, as))
  return kind === 'reply' ? Message.is(message) : kind === 'failure'
}

/** Whether the source is done with the message: an ack, a reply, or a failure that can never succeed. */
export function settles(outcome: Outcome): boolean {
  return outcome.kind !== 'failure' || outcome.error.kind === 'permanent'
}

/**
 * The outcome at a position.
 *
 * @throws {TypeError} there is none.
 */
export function outcomeAt(outcomes: Outcomes, index: number): Outcome {
  if (outcomes === ALL_ACKED) return acks.delivered
  const outcome = outcomes[index]
  if (outcome === undefined) throw new TypeError(`no outcome at position ${index} of ${outcomes.length}`)
  return outcome
}

/** The outcomes as an array, also `ALL_ACKED`; `count` is the number of messages that they are about. */
export function outcomeList(outcomes: Outcomes, count: number): readonly Outcome[] {
  return outcomes === ALL_ACKED ? repeat(acks.delivered, count) : outcomes
}

/** The same outcome for each of `count` messages. */
export function repeat(outcome: Outcome, count: number): readonly Outcome[] {
  return new Array<Outcome>(count).fill(outcome)
}

/**
 * What every `commit` checks first, and whoever reads the answer of a publisher.
 *
 * @throws {TypeError} the number of outcomes is not `count`.
 */
export function assertOutcomeCount(outcomes: Outcomes, count: number, what = 'messages'): void {
  if (outcomes !== ALL_ACKED && (!Array.isArray(outcomes) || outcomes.length !== count))
    throw new TypeError(
      `${count} ${what} need ${count} outcomes, got ${Array.isArray(outcomes) ? outcomes.length : typeof outcomes}`,
    )
}

// The worst outcome of the parts of one message counts, so that no part is lost.
function weight(outcome: Outcome): number {
  if (outcome.kind === 'ack') return 0
  if (outcome.kind === 'reply') return 1
  return outcome.error.kind === 'connection' ? 4 : outcome.error.kind === 'permanent' ? 2 : 3
}

/** What counts for a message that was sent in parts: `connection`, `retryable`, `permanent`, the first reply, ack. */
export function worstOutcome(outcomes: readonly Outcome[]): Outcome {
  let worst: Outcome = acks.delivered
  for (const [index, outcome] of outcomes.entries())
    if (index === 0 || weight(outcome) > weight(worst)) worst = outcome
  return worst
}
