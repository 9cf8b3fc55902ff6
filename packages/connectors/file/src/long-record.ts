import type { Counters, Logger, MqbError } from '@mqb/core'
import { fileError } from './errors.ts'

/** What happens to a record that is over the limit, or never ends. */
export class LongRecordPolicy {
  readonly maxBytes: number
  readonly #skips: boolean
  readonly #target: string
  readonly #log: Logger
  readonly #counters: Counters

  constructor(options: {
    readonly maxBytes: number
    readonly action: 'fail' | 'skip'
    readonly target: string
    readonly log: Logger
    readonly counters: Counters
  }) {
    this.maxBytes = options.maxBytes
    this.#skips = options.action === 'skip'
    this.#target = options.target
    this.#log = options.log
    this.#counters = options.counters
  }

  /** Called when a record turns out to be too long, before its end is known. Returns when it is to be skipped. */
  meet(position: number, reason = `longer than ${this.maxBytes} bytes`): void {
    if (!this.#skips) throw this.#error(position, reason)
  }

  /** Called when the end of a skipped record is known. */
  skipped(from: number, to: number): void {
    this.#counters.add('file_records_skipped')
    this.#log.warn(`record at bytes ${from} to ${to} of ${this.#target} is left out: it is too long`, {
      code: 'MQB_FILE_LONG_RECORD',
      from,
      to,
    })
  }

  #error(position: number, reason: string): MqbError {
    return fileError({
      code: 'MQB_FILE_LONG_RECORD',
      what: `the record at byte ${position} of ${this.#target} is ${reason}`,
      details: { position },
    })
  }
}
