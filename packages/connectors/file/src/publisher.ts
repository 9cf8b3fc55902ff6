import {
  ALL_ACKED,
  ack,
  type Clock,
  closedError,
  type EndpointStatus,
  failure,
  type Logger,
  type Message,
  MqbError,
  type Outcome,
  type Outcomes,
  type PackedMessages,
  type Publisher,
  toMqbError,
} from '@mqb/core'
import type { Encoder } from './encoder.ts'
import type { OpenFile, OpenFiles } from './open-files.ts'
import type { OutputPaths } from './output-paths.ts'
import { Parts } from './parts.ts'
import type { RecordSink } from './record-sink.ts'

const closeMs = 4500

/** Where one publisher writes: always the same place, or one that each message decides. */
export type Destination =
  | { readonly kind: 'one'; readonly sink: RecordSink; readonly encoder: Encoder; readonly open?: OpenFile }
  | { readonly kind: 'many'; readonly files: OpenFiles; readonly paths: OutputPaths }

export interface FilePublisherOptions {
  readonly target: string
  readonly destination: Destination
  readonly fsync: 'off' | 'batch' | 'periodic'
  readonly fsyncIntervalMs: number
  readonly clock: Clock
  readonly log: Logger
  /** Lets go of what was opened. */
  readonly release: () => Promise<void>
}

/** The records of one batch. */
interface Encoded {
  readonly parts: Parts
  /** Messages of the batch, those that failed included. */
  readonly count: number
  readonly signal: AbortSignal
  readonly failures?: ReadonlyMap<number, Outcome> | undefined
  readonly header?: Buffer | undefined
  readonly columns?: readonly string[] | undefined
}

/** Appends the records of each batch in one piece. Calls may overlap: they are written in the order of the calls. */
export class FilePublisher implements Publisher {
  readonly #options: FilePublisherOptions
  // Sends that have to wait before they can encode do it in the order of the calls.
  #turn: Promise<unknown> = Promise.resolve()
  #isClosed = false
  #cancelSync: (() => void) | undefined
  #trouble: string | undefined

  constructor(options: FilePublisherOptions) {
    this.#options = options
  }

  async send(messages: readonly Message[], signal: AbortSignal): Promise<Outcomes> {
    if (this.#isClosed) throw closedError(`${this.#options.target} is closed`)
    if (messages.length === 0) return ALL_ACKED
    const { destination } = this.#options
    if (destination.kind === 'many')
      return this.#inTurn(() => this.#sendToMany(messages, destination, signal))
    const { sink, encoder, open } = destination
    if (encoder.prepare === undefined || open === undefined)
      return this.#write(sink, encoder, messages, signal)
    return this.#inTurn(async () => {
      await encoder.prepare?.(open.file)
      return { written: this.#write(sink, encoder, messages, signal) }
    }).then(({ written }) => written)
  }

  sendPacked(packed: PackedMessages, signal: AbortSignal): Promise<Outcomes> | undefined {
    const { destination } = this.#options
    if (this.#isClosed || destination.kind === 'many') return undefined
    const { sink, encoder } = destination
    const parts = new Parts()
    if (encoder.prepare !== undefined || encoder.encodePacked?.(packed, parts) !== true) return undefined
    return this.#append(sink, { parts, count: packed.count, signal })
  }

  async flush(): Promise<void> {
    if (this.#options.fsync === 'periodic') await this.#syncAll()
  }

  status(): EndpointStatus {
    return {
      healthy: this.#trouble === undefined,
      target: this.#options.target,
      ...(this.#trouble === undefined ? {} : { error: this.#trouble }),
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#cancelSync?.()
    const done = this.flush()
      .then(() => this.#options.release())
      .catch(error => this.#options.log.warn(`closing ${this.#options.target}: ${String(error)}`))
    // A disk that hangs must not hold the process.
    let cancel: () => void = () => undefined
    const limit = new Promise<void>(resolve => {
      cancel = this.#options.clock.timer(closeMs, resolve)
    })
    await Promise.race([done, limit])
    cancel()
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(action)
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  /** Encodes and queues before it returns, so that the order of the calls is the order in the file. */
  async #write(
    sink: RecordSink,
    encoder: Encoder,
    messages: readonly Message[],
    signal: AbortSignal,
  ): Promise<Outcomes> {
    const parts = new Parts()
    const failures = encoder.encode(messages, parts)
    const { byteLength } = parts
    if (byteLength === 0) return outcomesOf(messages.length, failures, undefined)
    const header = encoder.header?.(messages)
    return this.#append(sink, {
      parts,
      count: messages.length,
      signal,
      failures,
      header,
      columns: encoder.columns,
    })
  }

  async #append(sink: RecordSink, encoded: Encoded): Promise<Outcomes> {
    const { parts, count, signal, failures, header, columns } = encoded
    const error = await sink.append({
      parts: parts.finish(),
      byteLength: parts.byteLength,
      header,
      columns,
      sync: this.#options.fsync === 'batch',
      signal,
    })
    this.#trouble = error?.message
    if (error === undefined && this.#options.fsync === 'periodic') this.#syncSoon()
    return outcomesOf(count, failures, error)
  }

  async #sendToMany(
    messages: readonly Message[],
    { files, paths }: Destination & { readonly kind: 'many' },
    signal: AbortSignal,
  ): Promise<Outcomes> {
    const outcomes: Outcome[] = new Array(messages.length)
    const writes: Promise<void>[] = []
    for (const [path, indexes] of groupByPath(messages, paths, outcomes)) {
      const group = indexes.map(index => messages[index] as Message)
      const opened = await files.take(path)
      const settle = (result: Outcomes): void => {
        for (const [at, index] of indexes.entries())
          outcomes[index] = result === ALL_ACKED ? ack() : (result[at] as Outcome)
      }
      try {
        await opened.encoder.prepare?.(opened.file)
      } catch (error) {
        settle(repeatFailure(group.length, error))
        continue
      }
      const write = this.#write(opened.file, opened.encoder, group, signal)
      files.track(path, write)
      writes.push(write.then(settle))
    }
    await Promise.all(writes)
    return outcomes.every(outcome => outcome.kind === 'ack') ? ALL_ACKED : outcomes
  }

  #syncSoon(): void {
    this.#cancelSync ??= this.#options.clock.timer(this.#options.fsyncIntervalMs, () => {
      this.#cancelSync = undefined
      void this.#syncAll()
    })
  }

  async #syncAll(): Promise<void> {
    const { destination, log, target } = this.#options
    try {
      await (destination.kind === 'one' ? destination.sink.sync() : destination.files.sync())
    } catch (error) {
      this.#trouble = `fsync failed: ${String(error)}`
      log.error(`what was written to ${target} may not be on the disk: ${String(error)}`, {
        code: 'MQB_FILE_IO',
      })
    }
  }
}

function groupByPath(
  messages: readonly Message[],
  paths: OutputPaths,
  outcomes: Outcome[],
): Map<string, number[]> {
  const groups = new Map<string, number[]>()
  for (const [index, message] of messages.entries()) {
    try {
      const path = paths.pathOf(message)
      const group = groups.get(path)
      if (group === undefined) groups.set(path, [index])
      else group.push(index)
    } catch (error) {
      outcomes[index] = failure(MqbError.is(error) ? error : toMqbError(error, 'permanent'))
    }
  }
  return groups
}

function outcomesOf(
  count: number,
  failures: ReadonlyMap<number, Outcome> | undefined,
  error: MqbError | undefined,
): Outcomes {
  if (failures === undefined && error === undefined) return ALL_ACKED
  const rest = error === undefined ? ack() : failure(error)
  return Array.from({ length: count }, (_, index) => failures?.get(index) ?? rest)
}

function repeatFailure(count: number, error: unknown): readonly Outcome[] {
  return new Array<Outcome>(count).fill(failure(toMqbError(error, 'retryable')))
}
