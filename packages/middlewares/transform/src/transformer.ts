import { isUtf8 } from 'node:buffer'
import type { Counters, Message } from '@mqb/core'
import { compileExpression, EvaluationError, type Expression, toJson } from '@mqb/expression'
import type { TransformConfig } from './config.ts'
import { asFailure, TransformFailure } from './failure.ts'
import type { Mapping } from './mapping/mapping.ts'
import type { TransformPlan } from './plan.ts'
import { SchemaRun } from './schema/run.ts'
import { Slab } from './slab.ts'

/** Metadata key of the reason why a message was passed through as it was. */
const errorKey = 'mqb.transform_error'

/** What became of some messages. */
export interface Transformed {
  /** By position; the message as it was where nothing changed, and where it failed. The same array if nothing changed at all. */
  readonly messages: readonly Message[]
  /** Of those that are not to go on, by position, ascending. Absent when there are none. */
  readonly failures: ReadonlyMap<number, TransformFailure> | undefined
}

/** Runs the stages over messages. */
export class Transformer {
  private readonly mapping: Mapping | undefined
  private readonly expression: Expression | undefined
  private readonly schema: SchemaRun | undefined
  /** The payload is looked at, so it has to be text. */
  private readonly readsPayload: boolean
  private readonly passesThrough: boolean
  private readonly counters: Counters
  /** Bytes that came out for each byte that went in, lately. */
  private growth = 1

  constructor(config: TransformConfig, { mapping, schema }: TransformPlan, counters: Counters) {
    this.counters = counters
    this.mapping = mapping
    this.expression = config.expression === undefined ? undefined : compileExpression(config.expression)
    this.schema =
      schema &&
      new SchemaRun(schema.root, { coerce: config.coerce, emptyAsNull: config.coerce_empty_as_null })
    this.passesThrough = config.on_error === 'pass_through'
    const { expression } = this
    this.readsPayload =
      mapping !== undefined ||
      (expression === undefined ? schema !== undefined : expression.payloadPaths.length > 0)
  }

  /** There is no stage: messages go on as they are. */
  get isIdle(): boolean {
    return this.mapping === undefined && this.expression === undefined && this.schema === undefined
  }

  run(messages: readonly Message[]): Transformed {
    const isText = !this.readsPayload || areText(messages)
    const slab = new Slab()
    const progress: Progress = { slab, left: 0 }
    for (const message of messages) progress.left += message.byteLength + 1
    let changed: Message[] | undefined
    let failures: Map<number, TransformFailure> | undefined
    for (let position = 0; position < messages.length; position++) {
      const message = messages[position] as Message
      try {
        const result = message.isNull ? message : this.one(message, isText, progress)
        if (result !== message) {
          changed ??= messages.slice()
          changed[position] = result
        }
      } catch (error) {
        const failure = asFailure(error)
        if (this.passesThrough) {
          changed ??= messages.slice()
          changed[position] = message.withMetadata([errorKey, failure.message])
          this.counters.add('passed_through')
        } else {
          failures ??= new Map()
          failures.set(position, failure)
          this.counters.add('rejected')
        }
      } finally {
        this.schema?.done()
      }
      progress.left -= message.byteLength + 1
    }
    this.schema?.rest()
    return { messages: changed ?? messages, failures }
  }

  private one(message: Message, isText: boolean, progress: Progress): Message {
    if (!isText && !isUtf8(message.payload))
      throw new TransformFailure('$', 'json', 'the payload is not UTF-8 text')
    let { bytes, start, end } = message
    if (this.mapping !== undefined) {
      bytes = this.mapping.apply(bytes, start, end)
      start = 0
      end = bytes.length
    }
    if (this.expression !== undefined) {
      const { metadataPairs } = message
      bytes = Buffer.from(evaluated(this.expression, { bytes, start, end, metadataPairs }))
      start = 0
      end = bytes.length
    }
    const { schema } = this
    const { slab, left } = progress
    if (schema !== undefined) {
      schema.look(bytes, start, end)
      if (schema.isChanged) {
        const written = schema.write(bytes, start, end, slab, Math.ceil(left * this.growth))
        this.learn(written.end - written.start, message.byteLength)
        return message.derive(slab.buffer, written.start, written.end)
      }
    }
    if (bytes === message.bytes) return message
    const length = end - start
    const at = slab.reserve(length, Math.ceil(left * this.growth))
    bytes.copy(slab.buffer, at, start, end)
    slab.finish()
    this.learn(length, message.byteLength)
    return message.derive(slab.buffer, at, at + length)
  }

  private learn(written: number, read: number): void {
    this.growth += (Math.min(4, written / Math.max(1, read)) * 1.05 - this.growth) / 16
  }
}

interface Progress {
  readonly slab: Slab
  /** Payload bytes of the messages that are still to come. */
  left: number
}

function evaluated(
  expression: Expression,
  document: { bytes: Buffer; start: number; end: number; metadataPairs: readonly string[] },
): string {
  try {
    return toJson(expression.evaluate(document))
  } catch (error) {
    if (error instanceof EvaluationError)
      throw new TransformFailure('$', error.kind === 'payload' ? 'json' : 'expression', error.message)
    if (error instanceof RangeError) throw new TransformFailure('$', 'expression', error.message)
    throw error
  }
}

/** Whether all payloads are UTF-8: with one look where they lie side by side in one slab, as those of one batch do. */
function areText(messages: readonly Message[]): boolean {
  const first = messages[0]
  if (first === undefined) return true
  let { start, end } = first
  for (const message of messages) {
    if (message.bytes !== first.bytes) return false
    if (message.start < start) start = message.start
    if (message.end > end) end = message.end
  }
  return isUtf8(first.bytes.subarray(start, end))
}
