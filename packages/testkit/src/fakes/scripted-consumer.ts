import {
  assertOutcomeCount,
  type Batch,
  type Clock,
  type Consumer,
  closedError,
  EndOfStream,
  Message,
  type Outcomes,
  type ReceiveLimit,
} from '@mqb/core'
import { createSystemClock } from './system-clock.ts'

/** What one `receive` does. */
export type Delivery =
  /** Hands these out, over several receives where the limit asks for it. Texts become messages. */
  | readonly (Message | string)[]
  /** `EndOfStream`; the script goes on with the next receive. */
  | 'end'
  /** Waits until the signal aborts. */
  | 'wait'
  /** Rejects with this value. */
  | { readonly throws: unknown }
  /** Does the step this much later, by the clock; an abort meanwhile keeps the step for the next receive. */
  | { readonly afterMs: number; readonly step: Delivery }

export interface ScriptedCommit {
  readonly messages: readonly Message[]
  readonly outcomes: Outcomes
}

export interface ScriptedConsumer extends Consumer {
  /** Limits of each receive. */
  readonly receives: readonly ReceiveLimit[]
  /** Every batch that was handed out, in order. */
  readonly batches: readonly (readonly Message[])[]
  /** Every commit, in order of the calls. A batch that is committed twice stands here twice. */
  readonly commits: readonly ScriptedCommit[]
  readonly pins: number
  readonly closes: number
}

export interface ScriptedConsumerOptions {
  readonly clock?: Clock
  /** Called by every commit before it resolves: throw to fail it, or return a promise to delay it. */
  readonly onCommit?: (commit: ScriptedCommit, index: number) => void | Promise<void>
  /** When the script is over: `end` throws `EndOfStream`, `wait` waits for the abort. Default `end`. */
  readonly afterwards?: 'end' | 'wait'
}

/** The input of a unit test: hands out what the script says and remembers every commit. */
export function scriptedConsumer(
  script: readonly Delivery[],
  options: ScriptedConsumerOptions = {},
): ScriptedConsumer {
  const clock = options.clock ?? createSystemClock()
  const steps: Delivery[] = [...script]
  const receives: ReceiveLimit[] = []
  const batches: (readonly Message[])[] = []
  const commits: ScriptedCommit[] = []
  const closing = new AbortController()
  let pins = 0
  let closes = 0

  function batchOf(messages: readonly Message[]): Batch {
    batches.push(messages)
    return {
      messages,
      async commit(outcomes) {
        if (closes > 0) throw closedError()
        assertOutcomeCount(outcomes, messages.length)
        const commit: ScriptedCommit = { messages, outcomes }
        commits.push(commit)
        await options.onCommit?.(commit, commits.length - 1)
      },
    }
  }

  async function takeStep(limit: ReceiveLimit, signal: AbortSignal): Promise<Batch> {
    const step = steps[0] ?? options.afterwards ?? 'end'
    if (step === 'wait') return untilAborted(signal)
    if (step === 'end') {
      steps.shift()
      throw new EndOfStream()
    }
    if ('throws' in step) {
      steps.shift()
      throw step.throws
    }
    if ('afterMs' in step) {
      await clock.sleep(step.afterMs, signal)
      steps[0] = step.step
      return takeStep(limit, signal)
    }
    const messages = step.map(entry => (typeof entry === 'string' ? new Message(entry) : entry))
    const count = fitting(messages, limit)
    if (count === messages.length) steps.shift()
    else steps[0] = messages.slice(count)
    return batchOf(messages.slice(0, count))
  }

  return {
    receives,
    batches,
    commits,
    get pins() {
      return pins
    },
    get closes() {
      return closes
    },
    async receive(limit, signal) {
      if (closes > 0) throw closedError()
      signal.throwIfAborted()
      receives.push(limit)
      if (limit.messages === 0) return batchOf([])
      const either = AbortSignal.any([signal, closing.signal])
      return takeStep(limit, either)
    },
    async pin() {
      pins++
    },
    status: () => ({ healthy: closes === 0, target: 'scripted' }),
    async close() {
      closes++
      closing.abort(closedError())
    },
  }
}

/** How many messages from the front the limit allows. */
function fitting(messages: readonly Message[], limit: ReceiveLimit): number {
  let bytes = 0
  let count = 0
  while (count < messages.length && count < limit.messages && (count === 0 || bytes < limit.bytes))
    bytes += messages[count++]!.byteLength
  return count
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
