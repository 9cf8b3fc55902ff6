import type { Publisher } from '../../contract/publisher.ts'
import type { EndpointStatus } from '../../contract/status.ts'
import { closedError } from '../../errors/closed.ts'
import { MqbError } from '../../errors/mqb-error.ts'
import { Message, type MetadataInput } from '../../message/message.ts'
import { outcomeAt } from '../../outcome/outcome.ts'
import type { EndpointPlan } from '../../plan/plan.ts'
import type { RuntimeContext } from '../context.ts'
import { Standalone } from './standalone.ts'

/** An output that is used without a route. It opens at the first call and stays open until `close`. */
export class BridgePublisher implements AsyncDisposable {
  readonly name: string
  readonly plan: EndpointPlan<'output'>
  private readonly end: Standalone<Publisher>

  constructor(name: string, plan: EndpointPlan<'output'>, context: RuntimeContext) {
    this.name = name
    this.plan = plan
    this.end = Standalone.output(name, plan, context)
  }

  /**
   * Opens it and waits until it is connected; every other call does so too.
   *
   * @throws {MqbError} `MQB_START_TIMEOUT` after 5 s, or why it can never be opened.
   */
  async open(): Promise<void> {
    await this.end.ready()
  }

  /**
   * Resolves when the output has the message.
   *
   * @throws {MqbError} it has not: the kind says whether a later try makes sense.
   */
  async send(message: Message): Promise<void> {
    await this.deliver(message)
  }

  /**
   * Resolves when the output has all of them.
   *
   * @throws {MqbError} `MQB_SEND_FAILED`: how many failed, `cause` the first error, `details.positions` which ones.
   */
  async sendBatch(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return
    const outcomes = await (await this.end.ready()).send(messages, new AbortController().signal)
    const positions: number[] = []
    let first: MqbError | undefined
    for (let position = 0; position < messages.length; position++) {
      const outcome = outcomeAt(outcomes, position)
      if (outcome.kind !== 'failure') continue
      positions.push(position)
      first ??= outcome.error
    }
    if (first === undefined) return
    throw new MqbError({
      kind: first.kind,
      code: 'MQB_SEND_FAILED',
      where: this.plan.path,
      what: `${positions.length} of ${messages.length} messages failed, the first one: ${first.what}`,
      details: { positions },
      cause: first,
    })
  }

  /** Sends the JSON text of a value. */
  sendJson(data: unknown, metadata?: MetadataInput): Promise<void> {
    return this.send(Message.fromJson(data, metadata))
  }

  /**
   * Sends the message and resolves to the answer.
   *
   * @throws {MqbError} `MQB_NO_REPLY`: the output took the message and has no answer.
   */
  async request(message: Message): Promise<Message> {
    const reply = await this.deliver(message)
    if (reply !== undefined) return reply
    throw new MqbError({
      kind: 'permanent',
      code: 'MQB_NO_REPLY',
      where: this.plan.path,
      what: 'the output took the message but did not answer',
      mend: 'use an endpoint that replies, or send() where no answer is needed',
    })
  }

  /** Sends the JSON text of a value, and parses the answer. */
  async requestJson(data: unknown, metadata?: MetadataInput): Promise<unknown> {
    return (await this.request(Message.fromJson(data, metadata))).json()
  }

  /** Asks the output to hold nothing back. */
  async flush(): Promise<void> {
    await this.end.current?.flush()
  }

  /**
   * Last known state.
   *
   * @throws {MqbError} `MQB_CLOSED`.
   */
  status(): EndpointStatus {
    if (this.end.isClosed) throw closedError()
    return this.end.current?.status() ?? { healthy: false, target: this.plan.target }
  }

  /** Ends within 5 s; twice is once. */
  close(): Promise<void> {
    return this.end.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** The output itself, open, with all its middlewares. */
  protected chain(): Promise<Publisher> {
    return this.end.ready()
  }

  private async deliver(message: Message): Promise<Message | undefined> {
    const publisher = await this.end.ready()
    const outcome = outcomeAt(await publisher.send([message], new AbortController().signal), 0)
    if (outcome.kind === 'failure') throw outcome.error
    return outcome.kind === 'reply' ? outcome.message : undefined
  }
}
