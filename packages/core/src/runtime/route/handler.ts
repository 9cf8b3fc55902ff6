import type { Outcome, Outcomes } from '../../contract/outcome.ts'
import { toMqbError } from '../../errors/normalize.ts'
import { notSentError } from '../../errors/not-sent.ts'
import { Message } from '../../message/message.ts'
import { ack, failure, outcomeAt, reply, settles } from '../../outcome/outcome.ts'

/**
 * What a route does with each message between input and output. Called once per message and delivery, one at a time
 * within a batch, with up to `concurrency` batches side by side, outside all output middlewares.
 *
 * A message that it returns is published; `null` and `undefined` mean that nothing is, and the message is done. What it
 * throws fails this message only: an `MqbError` by its kind, else `error.retryable` decides, else it is `retryable`.
 */
export type Handler = (message: Message) => HandlerResult | Promise<HandlerResult>

export type HandlerResult = Message | null | undefined

/** A batch after the handler: what goes to the output, and what the others came to. */
export interface HandledBatch {
  /** What is to be sent, in order. */
  readonly messages: readonly Message[]
  /** Where each of them stood in the batch. */
  readonly positions: readonly number[]
  /** By position in the batch; `undefined` where the output has to say. */
  readonly outcomes: (Outcome | undefined)[]
}

export interface HandleOptions {
  readonly handler: Handler
  readonly where: string
  /** The output keeps the order: nothing behind a message that stays with the source may be sent. */
  readonly ordered: boolean
  /** Ends the batch early: what was not handled counts as not sent. */
  readonly signal: AbortSignal
}

export async function handleBatch(
  batch: readonly Message[],
  { handler, where, ordered, signal }: HandleOptions,
): Promise<HandledBatch> {
  const messages: Message[] = []
  const positions: number[] = []
  const outcomes = new Array<Outcome | undefined>(batch.length)
  for (let position = 0; position < batch.length; position++) {
    let failed: Outcome | undefined
    try {
      const returned = handler(batch[position]!)
      // Only a real promise costs a turn of the microtask queue.
      const result = isPromise(returned) ? await returned : returned
      if (result === null || result === undefined) {
        outcomes[position] = ack('handled')
        continue
      }
      if (!Message.is(result)) throw new TypeError('a handler returns a Message, null or undefined')
      messages.push(result)
      positions.push(position)
    } catch (thrown) {
      failed = failure(toMqbError(thrown, 'retryable', where))
      outcomes[position] = failed
    }
    const stop = signal.aborted || (ordered && failed !== undefined && !settles(failed))
    if (stop) {
      const rest = failure(notSentError(failed?.kind === 'failure' ? failed.error : undefined))
      outcomes.fill(rest, position + 1)
      break
    }
  }
  return { messages, positions, outcomes }
}

/** Puts the answers of the output back to where their messages stood. */
export function mergeOutcomes(
  batch: readonly Message[],
  handled: HandledBatch,
  sent: Outcomes,
): readonly Outcome[] {
  const outcomes = handled.outcomes
  for (const [index, position] of handled.positions.entries()) {
    const outcome = outcomeAt(sent, index)
    const original = batch[position]!
    const message = handled.messages[index]!
    if (outcome.kind === 'reply') outcomes[position] = withRequestId(outcome.message, original, outcome)
    else if (outcome.kind === 'failure' && outcome.message === undefined && message !== original)
      outcomes[position] = failure(outcome.error, message)
    else outcomes[position] = outcome
  }
  return outcomes as readonly Outcome[]
}

// The handler may have asked under a new id; whoever waits knows only the one of the request.
function withRequestId(answer: Message, request: Message, outcome: Outcome): Outcome {
  return answer.id === request.id ? outcome : reply(answer.withId(request.id))
}

function isPromise(value: HandlerResult | Promise<HandlerResult>): value is Promise<HandlerResult> {
  return value instanceof Promise || (typeof value === 'object' && value !== null && 'then' in value)
}
