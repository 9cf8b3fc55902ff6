import type { Writable } from 'node:stream'
import type { MqbError } from '@mqb/core'
import { errnoOf, fileError, fromSystemError } from './errors.ts'
import type { RecordSink, WriteJob } from './record-sink.ts'
import { WriteQueue } from './write-queue.ts'

const gone = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'])

/** The standard output, or any stream. It is flushed by each answer and never closed. */
export class StreamSink implements RecordSink {
  readonly path = '-'
  readonly #stream: Writable
  readonly #queue = new WriteQueue(jobs => this.#write(jobs))
  #bytes = 0
  #failure: unknown

  constructor(stream: Writable) {
    this.#stream = stream
    // A stream that fails without a listener ends the process.
    stream.on('error', this.#onError)
  }

  append(job: WriteJob): Promise<MqbError | undefined> {
    return this.#queue.add(job)
  }

  async sync(): Promise<void> {}

  async close(): Promise<void> {
    await this.#queue.whenIdle()
    // The error of a broken pipe comes one turn later than the answer of the write.
    setImmediate(() => this.#stream.off('error', this.#onError))
  }

  async #write(jobs: readonly WriteJob[]): Promise<(MqbError | undefined)[]> {
    const header = this.#bytes === 0 ? jobs[0]?.header : undefined
    try {
      if (header !== undefined) await this.#writePart(header)
      for (const job of jobs) for (const part of job.parts) await this.#writePart(part)
      return jobs.map(() => undefined)
    } catch (error) {
      const failure = this.#toError(error)
      return jobs.map(() => failure)
    }
  }

  #writePart(part: Buffer): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    this.#bytes += part.length
    return new Promise((resolve, reject) => {
      this.#stream.write(part, error => (error ? reject(error) : resolve()))
    })
  }

  #toError(error: unknown): MqbError {
    if (gone.has(errnoOf(error)))
      return fileError({ code: 'MQB_STDOUT_CLOSED', what: 'the standard output was closed', cause: error })
    return fromSystemError(error, 'writing to the standard output')
  }

  #onError = (error: unknown): void => {
    this.#failure ??= error
  }
}
