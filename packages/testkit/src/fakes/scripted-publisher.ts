import {
  ack,
  type Clock,
  closedError,
  type ErrorKind,
  failure,
  Message,
  MqbError,
  type Outcome,
  type Publisher,
  reply,
} from '@mqb/core'
import { createSystemClock } from './system-clock.ts'

/** What the sink makes of one message. */
export type Answer =
  | 'ack'
  /** A failure of this kind, code `MQB_SCRIPTED`. */
  | Exclude<ErrorKind, 'config'>
  /** The call is never answered, not even when its signal aborts. */
  | 'never'
  /** The call rejects with this value, whatever it is. */
  | { readonly throws: unknown }
  /** A text becomes a message with the id of the request. */
  | { readonly reply: string | Message }
  /** The whole call is answered this much later, by the clock. */
  | { readonly afterMs: number; readonly answer: Answer }
  | Outcome

/**
 * One answer per message in the order of arrival, then `ack` for ever; or a function.
 *
 * `attempt` counts from 1 how often a message with this id has been sent.
 */
export type PublisherScript = readonly Answer[] | ((message: Message, attempt: number) => Answer)

export interface ScriptedPublisher extends Publisher {
  /** The messages of each `send`, in order of the calls. */
  readonly calls: readonly (readonly Message[])[]
  /** The signals of these calls. */
  readonly signals: readonly AbortSignal[]
  /** What was answered with an ack or a reply, in that order. */
  readonly delivered: readonly Message[]
  readonly flushes: number
  readonly closes: number
  /** Sends that have not been answered. */
  readonly running: number
  /** The most sends that ever ran at once. */
  readonly mostRunning: number
}

/** The output of a unit test: answers as the script says and remembers everything. */
export function scriptedPublisher(
  script: PublisherScript = [],
  clock: Clock = createSystemClock(),
): ScriptedPublisher {
  const calls: Message[][] = []
  const signals: AbortSignal[] = []
  const delivered: Message[] = []
  const attempts = new Map<string, number>()
  let next = 0
  let flushes = 0
  let closes = 0
  let running = 0
  let mostRunning = 0

  function answerFor(message: Message): Answer {
    const attempt = (attempts.get(message.id) ?? 0) + 1
    attempts.set(message.id, attempt)
    return typeof script === 'function' ? script(message, attempt) : (script[next++] ?? 'ack')
  }

  async function answerAll(messages: readonly Message[], signal: AbortSignal): Promise<Outcome[]> {
    const answers = messages.map(answerFor).map(unwrapDelay)
    const delayMs = Math.max(0, ...answers.map(answer => answer.delayMs))
    if (delayMs > 0) await clock.sleep(delayMs, signal)
    for (const { answer } of answers) {
      if (answer === 'never') await new Promise<never>(() => {})
      if (typeof answer === 'object' && 'throws' in answer) throw answer.throws
    }
    return messages.map((message, index) => {
      const outcome = toOutcome(answers[index]!.answer, message)
      if (outcome.kind !== 'failure') delivered.push(message)
      return outcome
    })
  }

  return {
    calls,
    signals,
    delivered,
    get flushes() {
      return flushes
    },
    get closes() {
      return closes
    },
    get running() {
      return running
    },
    get mostRunning() {
      return mostRunning
    },
    async send(messages, signal) {
      if (closes > 0) throw closedError()
      calls.push([...messages])
      signals.push(signal)
      running++
      mostRunning = Math.max(mostRunning, running)
      try {
        return await answerAll(messages, signal)
      } finally {
        running--
      }
    },
    async flush() {
      flushes++
    },
    status: () => ({ healthy: closes === 0, target: 'scripted' }),
    async close() {
      closes++
    },
  }
}

type Immediate = Exclude<Answer, { readonly afterMs: number }>

function unwrapDelay(answer: Answer): { delayMs: number; answer: Immediate } {
  let delayMs = 0
  let inner = answer
  while (typeof inner === 'object' && 'afterMs' in inner) {
    delayMs += inner.afterMs
    inner = inner.answer
  }
  return { delayMs, answer: inner }
}

function toOutcome(answer: Immediate, message: Message): Outcome {
  if (answer === 'ack') return ack()
  if (typeof answer === 'string')
    return failure(
      new MqbError({
        kind: answer as ErrorKind,
        code: 'MQB_SCRIPTED',
        what: `a ${answer} failure was scripted`,
      }),
    )
  if ('reply' in answer)
    return reply(
      typeof answer.reply === 'string' ? new Message(answer.reply, undefined, message.id) : answer.reply,
    )
  return answer as Outcome
}
