import type { Outcome, Outcomes } from '../../contract/outcome.ts'
import { MqbError } from '../../errors/mqb-error.ts'
import { toMqbError } from '../../errors/normalize.ts'
import { ALL_ACKED } from '../../outcome/all-acked.ts'
import { assertOutcomeCount, failure, isOutcome, repeat, settles } from '../../outcome/outcome.ts'

/** Position of the first outcome that leaves its message with the source, or -1. */
export function firstUnsettled(outcomes: Outcomes): number {
  if (outcomes === ALL_ACKED) return -1
  for (let index = 0; index < outcomes.length; index++) if (!settles(outcomes[index]!)) return index
  return -1
}

/** Why the first unsettled message is not settled. */
export function firstUnsettledError(outcomes: Outcomes): MqbError | undefined {
  if (outcomes === ALL_ACKED) return undefined
  for (const outcome of outcomes)
    if (outcome.kind === 'failure' && outcome.error.kind !== 'permanent') return outcome.error
  return undefined
}

/** The first error of kind `connection`, which means that an endpoint is gone. */
export function connectionErrorIn(outcomes: Outcomes): MqbError | undefined {
  if (outcomes === ALL_ACKED) return undefined
  for (const outcome of outcomes)
    if (outcome.kind === 'failure' && outcome.error.kind === 'connection') return outcome.error
  return undefined
}

/** Every message failed in the same way. */
export function allFailed(error: MqbError, count: number): readonly Outcome[] {
  return repeat(failure(error), count)
}

/**
 * Checks what a publisher answered: one outcome per message, each of them one, and that failures carry an `MqbError`. An
 * answer that does not fit says nothing about the messages, so it is an error of kind `retryable`, never an ack.
 */
export function checkedAnswer(outcomes: Outcomes, count: number, where: string): Outcomes {
  if (outcomes === ALL_ACKED) return outcomes
  try {
    assertOutcomeCount(outcomes, count)
  } catch (thrown) {
    throw wrongAnswer((thrown as TypeError).message, where, thrown)
  }
  let hasForeignError = false
  for (let index = 0; index < count; index++) {
    const outcome = outcomes[index] as Outcome
    if (!isOutcome(outcome)) throw wrongAnswer(`what was answered at position ${index} is no outcome`, where)
    if (outcome.kind === 'failure' && !MqbError.is(outcome.error)) hasForeignError = true
  }
  return hasForeignError ? withMqbErrors(outcomes, where) : outcomes
}

function wrongAnswer(what: string, where: string, cause?: unknown): MqbError {
  return new MqbError({
    kind: 'retryable',
    code: 'MQB_OUTCOME_COUNT',
    where,
    what,
    mend: 'this is a mistake in the publisher: it must answer with one outcome per message',
    ...(cause === undefined ? {} : { cause }),
  })
}

function withMqbErrors(outcomes: readonly Outcome[], where: string): readonly Outcome[] {
  return outcomes.map(outcome =>
    outcome.kind === 'failure'
      ? failure(toMqbError(outcome.error, 'retryable', where), outcome.message)
      : outcome,
  )
}
