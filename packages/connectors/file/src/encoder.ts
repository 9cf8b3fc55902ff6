import { failure, type Message, MqbError, type Outcome, type PackedMessages, toMqbError } from '@mqb/core'
import type { Delimiter } from './delimiter.ts'
import type { OutputFile } from './output-file.ts'
import type { Parts } from './parts.ts'

/** Turns messages into records of one file. */
export interface Encoder {
  /** Called before each batch: a file that holds something may decide about the records to come. */
  prepare?(file: OutputFile): Promise<void>
  /** Adds the records of a batch, each with its delimiter. Failures by position; `undefined` when there are none. */
  encode(messages: readonly Message[], parts: Parts): Map<number, Outcome> | undefined
  /** Adds the records of messages that nobody has made. False, with nothing added, where they can not be taken so. */
  encodePacked?(packed: PackedMessages, parts: Parts): boolean
  /** Written in front of the first record when the file is empty at that moment. */
  header?(messages: readonly Message[]): Buffer | undefined
  /** What the header names; records are not written below one that names other columns. */
  readonly columns?: readonly string[] | undefined
}

/** An encoder that makes one record of one message, and fails that message alone. */
export function perMessage(
  delimiter: Delimiter,
  record: (message: Message) => Buffer,
): Pick<Encoder, 'encode'> {
  return {
    encode(messages, parts) {
      let failures: Map<number, Outcome> | undefined
      for (let index = 0; index < messages.length; index++) {
        const message = messages[index] as Message
        try {
          const bytes = record(message)
          parts.addCopy(bytes, 0, bytes.length)
          parts.addCopy(delimiter.bytes, 0, delimiter.bytes.length)
        } catch (error) {
          failures ??= new Map()
          failures.set(index, failure(MqbError.is(error) ? error : toMqbError(error, 'permanent')))
        }
      }
      return failures
    },
  }
}
