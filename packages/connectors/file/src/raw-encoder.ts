import { failure, type Message, type Outcome, type PackedMessages } from '@mqb/core'
import type { Delimiter } from './delimiter.ts'
import type { Encoder } from './encoder.ts'
import { fileError } from './errors.ts'
import { LineMessage } from './line-message.ts'
import type { Parts } from './parts.ts'

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Payloads as they are. Neighbours in a slab that already have the delimiter between them leave as one range. */
export function rawEncoder(delimiter: Delimiter): Encoder {
  const encode =
    delimiter.byte >= 0
      ? (messages: readonly Message[], parts: Parts) => encodeRuns(messages, delimiter.byte, parts)
      : (messages: readonly Message[], parts: Parts) => encodeEach(messages, delimiter.bytes, parts)
  return {
    encode,
    encodePacked: (packed, parts) => encodePacked(packed, delimiter.byte, parts),
    // Readers take a mark at the start of a file away: a payload that begins with one needs a second.
    header: messages => {
      const first = messages[0]
      return first?.payload.subarray(0, 3).equals(byteOrderMark) ? byteOrderMark : undefined
    },
  }
}

/** What lies between delimiters in memory is what stands in the file. */
function encodePacked(packed: PackedMessages, delimiter: number, parts: Parts): boolean {
  if (packed.delimiter !== delimiter || startsWithMark(packed)) return false
  for (const { bytes, start, end } of packed.runs) parts.addRange(bytes, start, end)
  return true
}

function startsWithMark({ runs }: PackedMessages): boolean {
  const first = runs[0]
  return (
    first !== undefined && byteOrderMark.every((byte, index) => first.bytes[first.start + index] === byte)
  )
}

function encodeRuns(
  messages: readonly Message[],
  delimiter: number,
  parts: Parts,
): Map<number, Outcome> | undefined {
  const isLineFeed = delimiter === 10
  let failures: Map<number, Outcome> | undefined
  let slab: Buffer | undefined
  let runStart = 0
  let runEnd = 0
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Message
    const { bytes, start, end } = message
    // The byte behind the payload is looked at as it is in the slab: if it is the delimiter, it can be written along.
    const isFollowed = bytes[end] === delimiter
    if (!(isLineFeed && message instanceof LineMessage) && contains(message, delimiter, isFollowed)) {
      failures ??= new Map()
      failures.set(index, failure(delimiterError()))
      continue
    }
    if (bytes === slab && start === runEnd && isFollowed) {
      runEnd = end + 1
      continue
    }
    if (slab !== undefined) parts.addRange(slab, runStart, runEnd)
    if (isFollowed) {
      slab = bytes
      runStart = start
      runEnd = end + 1
    } else {
      slab = undefined
      parts.addRange(bytes, start, end)
      parts.addByte(delimiter)
    }
  }
  if (slab !== undefined) parts.addRange(slab, runStart, runEnd)
  return failures
}

/** A native search that stops at the delimiter behind the payload where there is one. */
function contains(message: Message, delimiter: number, isFollowed: boolean): boolean {
  if (isFollowed) return message.bytes.indexOf(delimiter, message.start) !== message.end
  return message.payload.indexOf(delimiter) >= 0
}

function encodeEach(
  messages: readonly Message[],
  delimiter: Buffer,
  parts: Parts,
): Map<number, Outcome> | undefined {
  let failures: Map<number, Outcome> | undefined
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Message
    if (hidesDelimiter(message.payload, delimiter)) {
      failures ??= new Map()
      failures.set(index, failure(delimiterError()))
      continue
    }
    parts.addRange(message.bytes, message.start, message.end)
    parts.addCopy(delimiter, 0, delimiter.length)
  }
  return failures
}

/** Also where the payload ends with the beginning of the delimiter, so that a reader would find it too early. */
function hidesDelimiter(payload: Buffer, delimiter: Buffer): boolean {
  if (payload.indexOf(delimiter) >= 0) return true
  const tail = Buffer.concat([
    payload.subarray(Math.max(0, payload.length - delimiter.length + 1)),
    delimiter,
  ])
  const at = tail.indexOf(delimiter)
  return at < tail.length - delimiter.length
}

function delimiterError() {
  return fileError({ code: 'MQB_FILE_DELIMITER', what: 'the record delimiter occurs in the payload' })
}
