import { isUtf8 } from 'node:buffer'
import { type Logger, Message, parseId, publishableMetadata, receivedMetadata } from '@mqb/core'
import type { Delimiter } from './delimiter.ts'
import { fileError } from './errors.ts'
import { compactJson, escapeInStrings, jsonMembers } from './json-text.ts'
import type { RecordDecoder } from './line-splitter.ts'

// A record of the formats `normal`, `json` and `text` is a JSON object:
//
//   { "message_id": UUID, "metadata": { text: text }, "payload": … }      or "payload_base64": … for what is not UTF-8
//
// `payload` as a string is the text of the payload, as null a null payload, and as any other value (written by `json`
// alone) the payload is the text of that value. So a payload that is itself a JSON string, or the JSON text `null`,
// is written as a string, and every payload reads back as it was.

const lineBreak = /[\r\n]/
const outerSpace = /^[ \t]|[ \t]$/

/** The record of a message, without delimiter. */
export function encodeEnvelope(message: Message, embedsJson: boolean, delimiter: Delimiter): Buffer {
  const head = `{"message_id":"${message.id}","metadata":${metadataText(message)},`
  const record = `${head}${payloadMember(message, embedsJson)}}`
  if (delimiter.isNewline || delimiter.text === undefined) return Buffer.from(record)
  const escaped = escapeInStrings(record, delimiter.text)
  if (escaped !== undefined) return Buffer.from(escaped)
  throw fileError({
    code: 'MQB_FILE_DELIMITER',
    what: `the delimiter ${JSON.stringify(delimiter.text)} occurs in the JSON of the record, outside its texts`,
  })
}

function metadataText(message: Message): string {
  const pairs = publishableMetadata(message.metadataPairs)
  let text = '{'
  for (let index = 0; index < pairs.length; index += 2) {
    if (index > 0) text += ','
    text += `${JSON.stringify(pairs[index])}:${JSON.stringify(pairs[index + 1])}`
  }
  return `${text}}`
}

function payloadMember(message: Message, embedsJson: boolean): string {
  if (message.isNull) return '"payload":null'
  const { payload } = message
  if (!isUtf8(payload)) return `"payload_base64":"${payload.toString('base64')}"`
  const text = message.text()
  if (embedsJson && isEmbeddable(text)) return `"payload":${lineBreak.test(text) ? compactJson(text) : text}`
  return `"payload":${JSON.stringify(text)}`
}

/** JSON that reads back as the same text: no string, which would lose its quotes, not `null`, no blanks around it. */
function isEmbeddable(text: string): boolean {
  if (outerSpace.test(text) && !lineBreak.test(text)) return false
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value !== 'string'
  } catch {
    return false
  }
}

/**
 * Reads records of any of the three formats.
 *
 * @param readsByteLists files of the format `normal` from long ago hold payloads as lists of byte values.
 */
export function envelopeDecoder(target: string, log: Logger, readsByteLists: boolean): RecordDecoder {
  let warned = false
  const whole = (
    bytes: Buffer,
    start: number,
    end: number,
    stamped: readonly string[],
    why: string,
  ): Message => {
    if (!warned) {
      warned = true
      log.warn(
        `a record of ${target} is ${why}: it becomes the payload as a whole; further such records are not reported`,
        { mend: 'set `format: raw` if the file holds bare payloads' },
      )
    }
    return Message.view(bytes, start, end, stamped)
  }
  return (bytes, start, end, metadata) => {
    const stamped = metadata ?? []
    const text = bytes.toString('utf8', start, end)
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return whole(bytes, start, end, stamped, 'no JSON')
    }
    if (!isEnvelope(value))
      return whole(bytes, start, end, stamped, 'JSON, but not a message with id, metadata and payload')
    const pairs: string[] = []
    for (const [key, entry] of Object.entries(value.metadata))
      pairs.push(key, typeof entry === 'string' ? entry : JSON.stringify(entry))
    const received = receivedMetadata(pairs)
    const id = parseId(value.message_id)
    return new Message(
      readPayload(value, text, readsByteLists),
      stamped.length === 0 ? received : [...received, ...stamped],
      id,
    )
  }
}

interface Envelope {
  readonly message_id: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly payload?: unknown
  readonly payload_base64?: string
}

function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false
  const { message_id, metadata, payload_base64 } = value as Record<string, unknown>
  return (
    typeof message_id === 'string' &&
    typeof metadata === 'object' &&
    metadata !== null &&
    !Array.isArray(metadata) &&
    ('payload' in value || typeof payload_base64 === 'string')
  )
}

function readPayload(envelope: Envelope, text: string, readsByteLists: boolean): Buffer | string | null {
  if (envelope.payload_base64 !== undefined) return Buffer.from(envelope.payload_base64, 'base64')
  const { payload } = envelope
  if (payload === null || typeof payload === 'string') return payload
  if (readsByteLists && isByteList(payload)) return Buffer.from(payload)
  return jsonMembers(text)?.find(member => member.key === 'payload')?.value ?? ''
}

/** The form of old files: the payload as a list of its bytes. */
function isByteList(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(item => Number.isInteger(item) && (item as number) >= 0 && (item as number) < 256)
  )
}
