import assert from 'node:assert/strict'
import { setMaxListeners } from 'node:events'
import type {
  Capabilities,
  Consumer,
  EndpointDefinition,
  Message,
  Outcomes,
  Publisher,
  Side,
} from '@mqb/core'
import { createSystemClock, type SystemClock } from '../fakes/system-clock.ts'
import { createTestOpening, type TestOpening, type TestOpeningOptions } from '../fakes/test-opening.ts'
import { becomesTrue, settlesWithin, within } from '../runner/within.ts'
import {
  type ConnectorSuiteOptions,
  defaultLimits,
  type ProvisionedEnds,
  type SuiteLimits,
} from './options.ts'
import { parseConfig } from './parse-config.ts'
import { Receiver } from './receiver.ts'

/** Sent where nothing names a bound. */
const defaultLargest = 1024 * 1024
/** Bounds beyond this are not tried out, unless the suite is told to. */
export const mostBytes: number = 64 * 1024 * 1024

export interface End {
  readonly config: unknown
  readonly capabilities: Capabilities
}

/** Everything that one test of the connector suite works with. */
export class World {
  readonly limits: SuiteLimits
  readonly input: End | undefined
  readonly output: End | undefined
  readonly hooks: ProvisionedEnds
  readonly largestPayload: number
  private readonly definition: EndpointDefinition
  private readonly open: { close(): Promise<void> }[] = []
  private readonly sends: Promise<unknown>[] = []
  private readonly abandon = new AbortController()
  private shared: Publisher | undefined
  private reader: Receiver | undefined
  // How much of the sink earlier calls of `take` have seen.
  private readFrom = 0

  constructor(
    definition: EndpointDefinition,
    options: ConnectorSuiteOptions,
    ends: ProvisionedEnds,
    input: End | undefined,
    output: End | undefined,
  ) {
    this.definition = definition
    // Every send that waits has a listener on it.
    setMaxListeners(0, this.abandon.signal)
    this.limits = { ...defaultLimits, ...options.limits }
    this.hooks = ends
    this.input = input
    this.output = output
    const bound = output?.capabilities.maxPayloadBytes ?? input?.capabilities.maxPayloadBytes ?? Infinity
    const wanted = options.largestPayload ?? (bound === Infinity ? defaultLargest : mostBytes)
    this.largestPayload = Math.min(bound, wanted)
  }

  /** A send is answered by the consumer's commit, so that waiting for it first would never end. */
  get sendsWait(): boolean {
    return this.output?.capabilities.replies === 'yes' && this.input !== undefined
  }

  openingFor(side: Side, options: TestOpeningOptions = {}): TestOpening & { readonly clock: SystemClock } {
    const clock = createSystemClock()
    const opening = createTestOpening({
      side,
      drainIdleMs: this.limits.drainIdleMs,
      concurrency: 4,
      ...options,
      clock,
    })
    return { ...opening, clock }
  }

  async openConsumer(opening = this.openingFor('input')): Promise<Consumer> {
    assert.ok(this.input !== undefined && this.definition.openConsumer !== undefined, 'there is no input')
    const consumer = await within(
      this.definition.openConsumer(this.input.config, opening),
      this.limits.patienceMs,
      'opening the input',
    )
    this.open.unshift(consumer)
    return consumer
  }

  async openPublisher(opening = this.openingFor('output')): Promise<Publisher> {
    assert.ok(this.output !== undefined && this.definition.openPublisher !== undefined, 'there is no output')
    const publisher = await within(
      this.definition.openPublisher(this.output.config, opening),
      this.limits.patienceMs,
      'opening the output',
    )
    this.open.push(publisher)
    return publisher
  }

  /** `undefined` when the connector gives up; what it opens is the caller's to close. */
  async tryOpen(side: Side, opening: TestOpening): Promise<Consumer | Publisher | undefined> {
    const config = this[side]?.config
    try {
      return side === 'input'
        ? await this.definition.openConsumer?.(config, opening)
        : await this.definition.openPublisher?.(config, opening)
    } catch {
      return undefined
    }
  }

  async openReceiver(options: TestOpeningOptions = {}): Promise<Receiver> {
    return new Receiver(await this.openConsumer(this.openingFor('input', options)), this.limits)
  }

  /** Makes `take` ready. Before anything is put: some sources show only what comes after they were opened. */
  async listen(): Promise<void> {
    if (this.input !== undefined) this.reader ??= await this.openReceiver()
  }

  /** Brings messages to where the input finds them. */
  async put(messages: readonly Message[]): Promise<void> {
    if (this.output === undefined) {
      assert.ok(this.hooks.feed !== undefined, '`provision` must return `feed` where there is no output')
      await within(this.hooks.feed(messages), this.limits.patienceMs, 'feed')
      return
    }
    this.shared ??= await this.openPublisher()
    const sending = this.send(this.shared, messages)
    if (this.sendsWait) {
      sending.catch(() => undefined)
      this.sends.push(sending)
      return
    }
    assertDelivered(await sending, messages.length)
    await within(this.shared.flush(), this.limits.patienceMs, 'flush')
  }

  /** Bounded only where nothing outside has to answer first. */
  async send(
    publisher: Publisher,
    messages: readonly Message[],
    signal: AbortSignal = this.abandon.signal,
  ): Promise<Outcomes> {
    const sending = publisher.send(messages, signal)
    return this.sendsWait ? sending : within(sending, this.limits.patienceMs, 'send')
  }

  /** Sends and reads at once: the outcomes, and `count` messages with whatever comes after them. */
  async exchange(
    publisher: Publisher,
    messages: readonly Message[],
    count = messages.length,
  ): Promise<{ outcomes: Outcomes; received: Message[] }> {
    await this.listen()
    if (this.sendsWait) {
      const [outcomes, received] = await Promise.all([this.send(publisher, messages), this.take(count)])
      return { outcomes, received }
    }
    const outcomes = await this.send(publisher, messages)
    await within(publisher.flush(), this.limits.patienceMs, 'flush')
    return { outcomes, received: await this.take(count) }
  }

  /** `count` messages and whatever comes in the silence after them. */
  async take(count: number): Promise<Message[]> {
    if (this.input !== undefined) {
      await this.listen()
      return this.reader!.take(count)
    }
    const { readBack } = this.hooks
    assert.ok(readBack !== undefined, '`provision` must return `readBack` where there is no input')
    let messages: readonly Message[] = []
    const enough = await becomesTrue(
      async () => {
        messages = (await readBack.call(this.hooks)).slice(this.readFrom)
        return messages.length >= count
      },
      this.limits.patienceMs,
      10,
    )
    assert.ok(enough, `the sink holds ${messages.length} of ${count} messages`)
    this.readFrom += messages.length
    return [...messages]
  }

  /** Closes everything quietly: only the tests that are about closing judge it. */
  async tearDown(): Promise<void> {
    this.abandon.abort(new Error('the test is over'))
    await Promise.all(this.open.map(end => closeQuietly(end, this.limits.closeMs)))
    await settlesWithin(Promise.allSettled(this.sends), this.limits.closeMs)
    await this.hooks.dispose?.()
  }
}

async function closeQuietly(end: { close(): Promise<void> }, ms: number): Promise<void> {
  try {
    await settlesWithin(end.close(), ms)
  } catch {
    // A close that throws before it returns a promise.
  }
}

export function assertDelivered(outcomes: Outcomes, count: number): void {
  if (typeof outcomes === 'symbol') return
  assert.equal(outcomes.length, count, `${count} messages were sent, ${outcomes.length} outcomes came back`)
  outcomes.forEach((outcome, index) => {
    if (outcome.kind === 'failure') assert.fail(`message ${index} failed: ${outcome.error.message}`)
  })
}

/**
 * Asks for ends and reads their configuration.
 *
 * @param check throws when the ends are not those that the tests were chosen for.
 */
export async function createWorld(
  options: ConnectorSuiteOptions,
  definition: EndpointDefinition,
  check: (
    provisioned: { readonly hooks: ProvisionedEnds } & Readonly<Record<Side, Capabilities | undefined>>,
  ) => void,
): Promise<World> {
  const ends = await options.provision()
  try {
    const read = (side: Side): End | undefined => readEnd(side, definition, options, ends)
    const [input, output] = [read('input'), read('output')]
    check({ hooks: ends, input: input?.capabilities, output: output?.capabilities })
    return new World(definition, options, ends, input, output)
  } catch (error) {
    await ends.dispose?.()
    throw error
  }
}

function readEnd(
  side: Side,
  definition: EndpointDefinition,
  options: ConnectorSuiteOptions,
  ends: ProvisionedEnds,
): End | undefined {
  if (options.oneSided !== undefined && options.oneSided !== side) return undefined
  if (ends[side] === undefined)
    throw new TypeError(`provision returned no ${side}; say \`oneSided\` where the connector has none`)
  const config = parseConfig(definition.config, ends[side], `the ${side} ${options.endpoint}`)
  return { config, capabilities: definition.capabilities(config, side) }
}
