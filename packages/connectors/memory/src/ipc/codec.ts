import { idFromBytes, idToBytes, Message, type MetadataPairs, receivedMetadata } from '@mqb/core'

/** Largest body of a frame, in bytes. */
export const maxFrameBytes = 104_857_600

/** Largest payload: a frame has room for the id, the lengths and 64 KiB of metadata besides. */
export const maxPayloadBytes: number = maxFrameBytes - 65_536

const headerBytes = 4

/*
 * A frame is a big-endian length of 4 bytes and a MessagePack body: an array of messages, each of them an array of the
 * id (bin, 16 bytes), the payload (bin, or nil for a null payload) and the metadata (map of str to str). The few types
 * are written and read here: general decoders refuse a metadata key `__proto__` and with it the whole frame, and make
 * three objects per message that a view of the frame does without.
 */

/** Bytes that a message takes within a frame. */
export function encodedSize(message: Message): number {
  // Array of 3, bin 8 of 16 bytes.
  let size = 1 + 18
  size += message.isNull ? 1 : binHeaderSize(message.byteLength) + message.byteLength
  const pairs = message.metadataPairs
  size += mapHeaderSize(pairs.length / 2)
  for (const text of pairs) {
    const length = Buffer.byteLength(text)
    size += strHeaderSize(length) + length
  }
  return size
}

/** A frame with its length in front. `bodyBytes` is the sum of the encoded sizes, without the array header. */
export function encodeFrame(messages: readonly Message[], bodyBytes: number): Buffer {
  const length = arrayHeaderSize(messages.length) + bodyBytes
  const writer = new Writer(headerBytes + length)
  writer.uint32(length)
  writer.arrayHeader(messages.length)
  for (const message of messages) {
    writer.byte(0x93)
    writer.bin(idToBytes(message.id), 0, 16)
    if (message.isNull) writer.byte(0xc0)
    else writer.bin(message.bytes, message.start, message.end)
    writer.mapHeader(message.metadataPairs.length / 2)
    for (const text of message.metadataPairs) writer.str(text)
  }
  return writer.bytes
}

/** Bytes that the header of an array of so many entries takes. */
export function arrayHeaderSize(count: number): number {
  return count < 16 ? 1 : count < 65_536 ? 3 : 5
}

const binHeaderSize = (length: number): number => (length < 256 ? 2 : length < 65_536 ? 3 : 5)
const mapHeaderSize = (count: number): number => (count < 16 ? 1 : count < 65_536 ? 3 : 5)
const strHeaderSize = (length: number): number =>
  length < 32 ? 1 : length < 256 ? 2 : length < 65_536 ? 3 : 5

class Writer {
  readonly bytes: Buffer
  private at = 0

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size)
  }

  byte(value: number): void {
    this.bytes[this.at++] = value
  }

  uint32(value: number): void {
    this.at = this.bytes.writeUInt32BE(value, this.at)
  }

  arrayHeader(count: number): void {
    if (count < 16) this.byte(0x90 | count)
    else this.sized(count, undefined, 0xdc, 0xdd)
  }

  mapHeader(count: number): void {
    if (count < 16) this.byte(0x80 | count)
    else this.sized(count, undefined, 0xde, 0xdf)
  }

  bin(source: Buffer, start: number, end: number): void {
    this.sized(end - start, 0xc4, 0xc5, 0xc6)
    this.at += source.copy(this.bytes, this.at, start, end)
  }

  str(text: string): void {
    const length = Buffer.byteLength(text)
    if (length < 32) this.byte(0xa0 | length)
    else this.sized(length, 0xd9, 0xda, 0xdb)
    this.at += this.bytes.write(text, this.at)
  }

  private sized(length: number, small: number | undefined, medium: number, large: number): void {
    if (small !== undefined && length < 256) {
      this.byte(small)
      this.byte(length)
    } else if (length < 65_536) {
      this.byte(medium)
      this.at = this.bytes.writeUInt16BE(length, this.at)
    } else {
      this.byte(large)
      this.uint32(length)
    }
  }
}

/**
 * The messages of a body. Their payloads are views of it.
 *
 * @throws {SyntaxError} the body is something else.
 */
export function decodeBody(body: Buffer): Message[] {
  const reader = new Reader(body)
  const count = reader.arrayHeader()
  const messages: Message[] = []
  for (let index = 0; index < count; index++) messages.push(readMessage(body, reader))
  if (!reader.atEnd) throw new SyntaxError('bytes behind the last message of a frame')
  return messages
}

function readMessage(body: Buffer, reader: Reader): Message {
  if (reader.arrayHeader() !== 3)
    throw new SyntaxError('a message must be an array of id, payload and metadata')
  const id = reader.bin()
  const idText = id === undefined ? undefined : idFromBytes(body.subarray(id.start, id.end))
  if (idText === undefined) throw new SyntaxError('a message id must be 16 bytes')
  const payload = reader.bin()
  const count = reader.mapHeader()
  const pairs: string[] = []
  for (let index = 0; index < count; index++) {
    const key = reader.str()
    const value = reader.str()
    const known = findKey(pairs, key)
    if (known === -1) pairs.push(key, value)
    else pairs[known + 1] = value
  }
  const metadata: MetadataPairs = receivedMetadata(pairs)
  return payload === undefined
    ? new Message(null, metadata, idText)
    : Message.view(body, payload.start, payload.end, metadata, idText)
}

function findKey(pairs: readonly string[], key: string): number {
  for (let index = 0; index < pairs.length; index += 2) if (pairs[index] === key) return index
  return -1
}

class Reader {
  private readonly bytes: Buffer
  private at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  get atEnd(): boolean {
    return this.at === this.bytes.length
  }

  arrayHeader(): number {
    const type = this.byte()
    if ((type & 0xf0) === 0x90) return type & 0x0f
    if (type === 0xdc) return this.number(2)
    if (type === 0xdd) return this.number(4)
    throw unexpected('an array', type)
  }

  mapHeader(): number {
    const type = this.byte()
    if ((type & 0xf0) === 0x80) return type & 0x0f
    if (type === 0xde) return this.number(2)
    if (type === 0xdf) return this.number(4)
    throw unexpected('a map', type)
  }

  /** Where the bytes stand; nothing for nil. */
  bin(): { start: number; end: number } | undefined {
    const type = this.byte()
    if (type === 0xc0) return undefined
    if (type < 0xc4 || type > 0xc6) throw unexpected('bytes', type)
    return this.skip(this.number(1 << (type - 0xc4)))
  }

  str(): string {
    const type = this.byte()
    if ((type & 0xe0) !== 0xa0 && (type < 0xd9 || type > 0xdb)) throw unexpected('a text', type)
    const length = (type & 0xe0) === 0xa0 ? type & 0x1f : this.number(1 << (type - 0xd9))
    const { start, end } = this.skip(length)
    return this.bytes.toString('utf8', start, end)
  }

  private byte(): number {
    return this.bytes[this.skip(1).start]!
  }

  private number(width: number): number {
    return this.bytes.readUIntBE(this.skip(width).start, width)
  }

  private skip(length: number): { start: number; end: number } {
    const start = this.at
    const end = start + length
    if (end > this.bytes.length) throw new SyntaxError('the body of a frame ends within a value')
    this.at = end
    return { start, end }
  }
}

function unexpected(wanted: string, type: number): SyntaxError {
  return new SyntaxError(`expected ${wanted}, got MessagePack type 0x${type.toString(16).padStart(2, '0')}`)
}
