import {
  assertOutcomeCount,
  type Batch,
  type Clock,
  type Consumer,
  closedError,
  EndOfStream,
  type EndpointStatus,
  type Logger,
  type Message,
  type Outcomes,
  type PackedMessages,
  type ReceiveLimit,
} from '@mqb/core'
import { BatchBuilder, type MessageList } from './batch-builder.ts'
import type { Format } from './config.ts'
import { CsvSplitter } from './csv/csv-splitter.ts'
import { fileError, fromSystemError } from './errors.ts'
import { checkStart, guardBytes } from './guard.ts'
import { PendingBatches, type Portion } from './pending-batches.ts'
import type { InputOpener, RecordInput } from './record-input.ts'
import { SlabReader } from './slab-reader.ts'
import type { Splitter } from './splitter.ts'
import { untilAborted } from './waits.ts'

const shortestIdleMs = 1
const longestIdleMs = 50
const missingMs = 1000
const fewest = 16

export interface FileConsumerOptions {
  readonly target: string
  readonly format: Format
  readonly opener: InputOpener
  readonly splitter: Splitter
  readonly drain: boolean
  readonly clock: Clock
  readonly log: Logger
  /** Bytes a read; 262144 when left out. */
  readonly readBytes?: number | undefined
  /** Told the path of each input that is opened, for metadata. */
  readonly onOpen?: ((path: string) => void) | undefined
}

/** Reads records from one input after the other, and hands out again what is not settled. */
export class FileConsumer implements Consumer {
  readonly #options: FileConsumerOptions
  readonly #pending = new PendingBatches()
  #isClosed = false
  // Ends the wait that is going on.
  #waiting: AbortController | undefined
  #input: RecordInput | undefined
  #reader: SlabReader | undefined
  // Records handed out of this input so far.
  #records = 0
  // Messages of the last batch, and so probably of the next.
  #expected = fewest
  #isStartChecked = false
  // A read whose receive was cancelled: its bytes are taken by the next one.
  #refilling: Promise<number> | undefined
  // Something came since the last empty batch.
  #isArmed = true
  #idleMs = shortestIdleMs
  #trouble: string | undefined

  constructor(options: FileConsumerOptions) {
    this.#options = options
  }

  /** Opens what can be opened now, so that wrong paths and positions are told at the start. */
  async start(): Promise<void> {
    await this.#open()
  }

  async receive(limit: ReceiveLimit, signal: AbortSignal): Promise<Batch> {
    this.#assertOpen()
    signal.throwIfAborted()
    if (limit.messages <= 0) return this.#emptyBatch()
    const again = this.#pending.takeAgain(limit.messages, limit.bytes)
    if (again !== undefined) return this.#handOut(again)
    try {
      return await this.#read(limit, signal)
    } catch (error) {
      this.#assertOpen()
      signal.throwIfAborted()
      throw error
    }
  }

  async pin(): Promise<void> {}

  status(): EndpointStatus {
    const trouble = this.#trouble ?? this.#options.opener.trouble
    const offset = this.#reader?.position
    return {
      healthy: trouble === undefined,
      target: this.#options.target,
      ...(this.#isArmed || this.#pending.count > 0 ? {} : { pending: 0 }),
      ...(trouble === undefined ? {} : { error: trouble }),
      ...(offset === undefined ? {} : { details: { offset } }),
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#waiting?.abort(this.#closedError())
    try {
      // A read in flight must not find its descriptor given to another file.
      if (this.#input?.source.isPrompt) await this.#reader?.settled()
      await this.#options.opener.close()
      await this.#input?.close()
    } catch (error) {
      this.#options.log.warn(`closing ${this.#options.target}: ${String(error)}`)
    }
  }

  async #read(limit: ReceiveLimit, signal: AbortSignal): Promise<Batch> {
    for (;;) {
      if (this.#reader === undefined && !(await this.#open())) {
        if (this.#options.drain) throw this.#missingError()
        await this.#pause(missingMs, signal)
        continue
      }
      const batch = new BatchBuilder(limit, this.#records, this.#expected)
      const portion = await this.#fill(batch, signal)
      if (portion !== undefined) return portion
    }
  }

  /** `undefined`: look again, another input may be open now. */
  async #fill(batch: BatchBuilder, signal: AbortSignal): Promise<Batch | undefined> {
    const reader = this.#reader as SlabReader
    const input = this.#input as RecordInput
    for (;;) {
      if (!this.#take(reader, batch)) return this.#handOutBatch(batch, input, reader)
      const refilled = this.#refilling ?? this.#refill(reader)
      // What a pipe gave goes on at once; only its next bytes are waited for.
      if (typeof refilled !== 'number' && !input.source.isPrompt && batch.count > 0)
        return this.#handOutBatch(batch, input, reader)
      const count = typeof refilled === 'number' ? refilled : await this.#settle(refilled, input, signal)
      if (count > 0) {
        this.#isArmed = true
        this.#idleMs = shortestIdleMs
        continue
      }
      if (batch.count > 0) return this.#handOutBatch(batch, input, reader)
      return this.#atEnd(batch, input, reader, signal)
    }
  }

  /** Fills the batch from what is in memory. Returns whether more bytes are needed. */
  #take(reader: SlabReader, batch: BatchBuilder): boolean {
    if (!this.#isStartChecked && !this.#checkStart(reader, false)) return true
    try {
      this.#options.splitter.take(reader, batch)
    } catch (error) {
      // What was taken before goes out first; the next call meets the record again.
      if (batch.count === 0) throw error
      return false
    }
    return !batch.isFull
  }

  /** Looks at the first bytes of an input. Returns whether there were enough of them. */
  #checkStart(reader: SlabReader, isFinal: boolean): boolean {
    if (reader.position > 0) this.#isStartChecked = true
    if (this.#isStartChecked) return true
    const first = reader.window.subarray(reader.pos, reader.pos + guardBytes)
    if (first.length === 0) return false
    const skip = checkStart(first, this.#options.format, this.#options.target, isFinal)
    if (skip === undefined) return false
    reader.pos += skip
    this.#isStartChecked = true
    return true
  }

  #refill(reader: SlabReader): number | Promise<number> {
    try {
      const refilled = reader.refill()
      if (typeof refilled !== 'number') this.#refilling = refilled
      return refilled
    } catch (error) {
      throw fromSystemError(error, `reading ${this.#options.target}`)
    }
  }

  async #settle(refilled: Promise<number>, input: RecordInput, signal: AbortSignal): Promise<number> {
    try {
      const count = await (input.source.isPrompt
        ? refilled
        : this.#wait(signal, stop => untilAborted(refilled, stop)))
      this.#refilling = undefined
      this.#trouble = undefined
      return count
    } catch (error) {
      if (this.#isClosed || signal.aborted) throw error
      this.#refilling = undefined
      const failure = fromSystemError(error, `reading ${this.#options.target}`)
      this.#trouble = failure.message
      throw failure
    }
  }

  async #atEnd(
    batch: BatchBuilder,
    input: RecordInput,
    reader: SlabReader,
    signal: AbortSignal,
  ): Promise<Batch | undefined> {
    const { log, drain, splitter } = this.#options
    const state = input.endState(reader.base + reader.end)
    if (state === 'truncated') {
      log.warn(`${input.path} is shorter than what was read of it: reading it again from its start`)
      await this.#leave()
      return undefined
    }
    // Something may have been appended between the last read and the look at the path.
    if (state === 'replaced' && (await reader.refill()) > 0) return undefined
    if (state !== 'growing' || drain) {
      this.#checkStart(reader, true)
      splitter.finish(reader, batch)
      if (batch.count > 0) return this.#handOutBatch(batch, input, reader)
    }
    if (state === 'replaced') {
      await this.#leave()
      return undefined
    }
    if (state === 'ended') throw new EndOfStream(`${this.#options.target} has ended`)
    if (drain || this.#isArmed) {
      this.#isArmed = false
      return this.#emptyBatch()
    }
    await this.#pause(this.#idleMs, signal)
    this.#idleMs = Math.min(longestIdleMs, this.#idleMs * 2)
    return undefined
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return this.#wait(signal, stop => this.#options.clock.sleep(ms, stop))
  }

  /** A wait that the signal and `close` end. */
  async #wait<T>(signal: AbortSignal, wait: (stop: AbortSignal) => Promise<T>): Promise<T> {
    this.#assertOpen()
    // It may have aborted during a read, and then tells nobody who listens from now on.
    signal.throwIfAborted()
    const controller = new AbortController()
    const onAbort = (): void => controller.abort(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting = controller
    try {
      return await wait(controller.signal)
    } finally {
      this.#waiting = undefined
      signal.removeEventListener('abort', onAbort)
    }
  }

  async #open(): Promise<boolean> {
    const { opener, splitter, readBytes, onOpen, target } = this.#options
    const input = await opener.open()
    this.#trouble = input === undefined ? `${target} does not exist` : undefined
    if (input === undefined) return false
    this.#input = input
    this.#records = 0
    this.#isStartChecked = false
    splitter.restart()
    onOpen?.(input.path)
    if (splitter instanceof CsvSplitter && input.startPosition > 0) await this.#learnColumns(splitter, input)
    this.#reader = new SlabReader(input.source, input.startPosition, readBytes)
    return true
  }

  /** A reader that begins in the middle takes the columns from the start of the file. */
  async #learnColumns(splitter: CsvSplitter, input: RecordInput): Promise<void> {
    const head = new SlabReader(input.source, 0, this.#options.readBytes)
    for (let isLast = false; !isLast; ) {
      isLast = (await head.refill()) === 0
      if (this.#checkStart(head, isLast) && splitter.learnColumns(head, isLast)) break
    }
    this.#isStartChecked = true
    await head.settled()
  }

  async #leave(): Promise<void> {
    const input = this.#input
    this.#input = undefined
    this.#reader = undefined
    this.#isArmed = true
    await input?.close()
  }

  #handOutBatch(batch: BatchBuilder, input: RecordInput, reader: SlabReader): Batch {
    const list = batch.finish()
    this.#expected = Math.max(fewest, list.count)
    if (this.#records === 0 && input.keepHead !== undefined && list.messages[0] !== undefined)
      input.keepHead(batch.positions.of(0, list.messages[0]))
    this.#records += list.count
    this.#isArmed = true
    return this.#handOut({
      input,
      list,
      positions: batch.positions,
      isSettled: false,
      isDelivered: false,
      offset: 0,
      endPosition: reader.position,
    })
  }

  #handOut(portion: Portion): Batch {
    if (portion.list.count > 0) this.#pending.handOut(portion)
    return new FileBatch(portion.list, outcomes => this.#commit(portion, outcomes))
  }

  #emptyBatch(): Batch {
    return new FileBatch({ count: 0, messages: [] }, async () => undefined)
  }

  async #commit(portion: Portion, outcomes: Outcomes): Promise<void> {
    this.#assertOpen()
    for (const { input, position } of this.#pending.commit(portion, outcomes))
      await input.acknowledge(position)
  }

  #assertOpen(): void {
    if (this.#isClosed) throw this.#closedError()
  }

  #closedError(): Error {
    return closedError(`${this.#options.target} is closed`)
  }

  #missingError(): Error {
    return fileError({ code: 'MQB_FILE_MISSING', what: `${this.#options.target} does not exist` })
  }
}

class FileBatch implements Batch {
  readonly packed: PackedMessages | undefined
  readonly #list: MessageList
  readonly #commit: (outcomes: Outcomes) => Promise<void>

  constructor(list: MessageList, commit: (outcomes: Outcomes) => Promise<void>) {
    this.packed = list.packed
    this.#list = list
    this.#commit = commit
  }

  get messages(): readonly Message[] {
    return this.#list.messages
  }

  async commit(outcomes: Outcomes): Promise<void> {
    assertOutcomeCount(outcomes, this.#list.count)
    await this.#commit(outcomes)
  }
}
