import {
  ALL_ACKED,
  ack,
  assertOutcomeCount,
  closedError,
  type EndpointStatus,
  failure,
  type Message,
  MqbError,
  type Outcome,
  type Outcomes,
  outcomeAt,
  type Publisher,
  pickMessages,
  repeat,
  toMqbError,
} from '@mqb/core'
import type { Choose } from './choose.ts'
import type { UnmatchedReport } from './unmatched.ts'

/** An open destination. */
export interface Destination {
  readonly name: string
  readonly publisher: Publisher
}

/** Splits each batch by destination, sends the parts side by side, and puts the outcomes back to their positions. */
export class SwitchPublisher implements Publisher {
  private readonly choose: Choose
  private readonly destinations: readonly Destination[]
  private readonly unmatched: UnmatchedReport
  private closed = false

  constructor(choose: Choose, destinations: readonly Destination[], unmatched: UnmatchedReport) {
    this.choose = choose
    this.destinations = destinations
    this.unmatched = unmatched
  }

  async send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    if (this.closed) throw closedError()
    let parts: readonly Part[]
    try {
      parts = this.split(messages)
    } catch (error) {
      // A mistake of the configuration: to drop one message after the other would hide it.
      if (MqbError.is(error)) return repeat(failure(error), messages.length)
      throw error
    }
    const taken = parts.reduce((sum, { positions }) => sum + positions.length, 0)
    if (taken < messages.length) this.unmatched.add(messages.length - taken)
    const [first] = parts
    if (first === undefined) return repeat(ack('filtered'), messages.length)
    if (first.positions.length === messages.length) return first.publisher.send(messages, signal)
    const answers = await Promise.all(parts.map(part => sendPart(part, messages, signal)))
    return join(messages.length, parts, answers)
  }

  async flush(): Promise<void> {
    await Promise.all(this.destinations.map(({ publisher }) => publisher.flush()))
  }

  status(): EndpointStatus {
    const each = this.destinations.map(({ name, publisher }) => [name, publisher.status()] as const)
    const ill = each.find(([, status]) => !status.healthy)
    return {
      healthy: ill === undefined,
      target: 'switch',
      ...(ill === undefined ? {} : { error: `${ill[0]}: ${ill[1].error ?? 'not healthy'}` }),
      details: { unmatched: this.unmatched.count, destinations: Object.fromEntries(each) },
    }
  }

  async close(): Promise<void> {
    this.closed = true
    this.unmatched.close()
    await Promise.all(this.destinations.map(({ publisher }) => publisher.close()))
  }

  /** The destinations that messages go to, in the order of the configuration. */
  private split(messages: readonly Message[]): readonly Part[] {
    const positions = this.destinations.map((): number[] => [])
    for (let index = 0; index < messages.length; index++)
      positions[this.choose(messages[index]!)]?.push(index)
    return this.destinations
      .map(({ publisher }, index) => ({ publisher, positions: positions[index]! }))
      .filter(part => part.positions.length > 0)
  }
}

interface Part {
  readonly publisher: Publisher
  /** Of its messages within the batch, ascending. */
  readonly positions: readonly number[]
}

/** What one destination throws concerns its own messages only. */
async function sendPart(
  { publisher, positions }: Part,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<Outcomes> {
  try {
    const outcomes = await publisher.send(pickMessages(messages, positions), signal)
    assertOutcomeCount(outcomes, positions.length)
    return outcomes
  } catch (thrown) {
    return repeat(failure(toMqbError(thrown, 'retryable')), positions.length)
  }
}

function join(count: number, parts: readonly Part[], answers: readonly Outcomes[]): Outcomes {
  const taken = parts.reduce((sum, { positions }) => sum + positions.length, 0)
  if (taken === count && answers.every(answer => answer === ALL_ACKED)) return ALL_ACKED
  const outcomes = new Array<Outcome>(count).fill(ack('filtered'))
  for (const [index, { positions }] of parts.entries())
    for (let at = 0; at < positions.length; at++) outcomes[positions[at]!] = outcomeAt(answers[index]!, at)
  return outcomes
}
