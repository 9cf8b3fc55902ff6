import { formatId, type IdHalves, idHalves, mintId, parseId } from './id.ts'
import {
  findPair,
  type MetadataPairs,
  mergePairs,
  noMetadata,
  pairsFromRecord,
  recordFromPairs,
  withoutPairs,
} from './metadata.ts'

const brand: unique symbol = Symbol.for('mqb.Message') as never
// Stands for "no payload"; told apart from an empty one by identity, so that a message needs no field for it.
const nullBytes = Buffer.alloc(0)

/** What was made of the payload on demand. Most messages pass without any of it. */
interface Views {
  payload: Buffer | undefined
  text: string | undefined
  json: unknown
}

/** Metadata by key, or as the flat pairs that messages keep. */
export type MetadataInput = Readonly<Record<string, string>> | MetadataPairs

/**
 * One unit moved: the bytes `start` to `end` of a slab that many messages may share, text metadata, and an id.
 *
 * A message never changes once it is handed over. What wants to change it derives a new one, which shares everything
 * that stays the same. Slabs are read-only and never reused.
 */
export class Message {
  // Declared, not defined: fields that are defined are written twice, which makes messages of subclasses cost half again
  // as much.
  /** The slab. Read only between `start` and `end`, never write. */
  declare readonly bytes: Buffer
  declare readonly start: number
  declare readonly end: number
  /** Flat `[key, value, …]`, for hot code. Never change it. */
  declare readonly metadataPairs: MetadataPairs
  // Text, the halves until somebody asks for text, the message whose id this one shares, or not minted yet.
  declare private identity: string | IdHalves | Message | undefined
  declare private views: Views | undefined

  /**
   * @param payload bytes are taken over, not copied: do not write to them afterwards. Text is encoded as UTF-8.
   * @param id a UUID, or its halves. Minted (UUID version 7) at the first look when left out.
   * @param start first byte of the payload within `payload`, when that is a slab.
   * @param end one past its last byte.
   * @throws {TypeError} for an id that is not a UUID, or metadata that is not text.
   */
  constructor(
    payload: Uint8Array | string | null,
    metadata?: MetadataInput,
    id?: string | IdHalves,
    start?: number,
    end?: number,
  ) {
    if (end !== undefined) {
      this.bytes = payload as Buffer
      this.start = start as number
      this.end = end
    } else {
      this.bytes =
        payload === null ? nullBytes : typeof payload === 'string' ? Buffer.from(payload) : asBuffer(payload)
      this.start = 0
      this.end = this.bytes.length
    }
    this.metadataPairs =
      metadata === undefined ? noMetadata : isPairs(metadata) ? metadata : pairsFromRecord(metadata)
    this.identity = id === undefined ? undefined : checkedId(id)
    this.views = undefined
  }

  /** A message over a part of a slab: no copy, no view until somebody asks for one. */
  static view(
    slab: Buffer,
    start: number,
    end: number,
    metadata?: MetadataPairs,
    id?: string | IdHalves,
  ): Message {
    return new Message(slab, metadata, id, start, end)
  }

  /**
   * A message whose payload is the JSON text of `data`.
   *
   * @throws {TypeError} it has none: `undefined`, a function, a value that holds itself.
   */
  static fromJson(data: unknown, metadata?: MetadataInput, id?: string): Message {
    const text = JSON.stringify(data)
    if (text === undefined) throw new TypeError(`a value of type ${typeof data} has no JSON text`)
    return new Message(text, metadata, id)
  }

  /** Holds across two copies of core. */
  static is(value: unknown): value is Message {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true
  }

  get [brand](): true {
    return true
  }

  /** UUID text in lower case; stable from the first look on. */
  get id(): string {
    const identity = this.identity
    if (typeof identity === 'string') return identity
    const id =
      identity === undefined
        ? mintId()
        : identity instanceof Message
          ? identity.id
          : formatId(identity as IdHalves)
    this.identity = id
    return id
  }

  /** The id as two 64-bit numbers. */
  get idHalves(): IdHalves {
    const identity = this.identity
    if (typeof identity === 'object' && !(identity instanceof Message)) return identity
    return idHalves(this.id)
  }

  /** A null payload, such as a Kafka tombstone: neither empty nor the JSON text `null`. `payload` is then empty. */
  get isNull(): boolean {
    return this.bytes === nullBytes
  }

  /** Payload bytes. */
  get byteLength(): number {
    return this.end - this.start
  }

  /** The payload as a view that is made once and kept. Read-only by contract. */
  get payload(): Buffer {
    if (this.start === 0 && this.end === this.bytes.length) return this.bytes
    const views = this.sharedViews()
    views.payload ??= this.bytes.subarray(this.start, this.end)
    return views.payload
  }

  /** The payload as text, decoded once. Bytes that are not UTF-8 become U+FFFD in the text; the payload keeps them. */
  text(): string {
    const views = this.sharedViews()
    views.text ??= this.bytes.toString('utf8', this.start, this.end)
    return views.text
  }

  /**
   * The payload parsed as JSON, once; the value is shared by all who ask, so do not change it. Numbers are doubles:
   * integers beyond 2^53 need the bytes.
   *
   * @throws {SyntaxError} the payload is not JSON.
   */
  json(): unknown {
    const views = this.sharedViews()
    if (views.json === undefined) views.json = JSON.parse(this.text())
    return views.json
  }

  /** A copy of the metadata as a plain object without prototype. */
  get metadata(): Record<string, string> {
    return recordFromPairs(this.metadataPairs)
  }

  getMetadata(key: string): string | undefined {
    return findPair(this.metadataPairs, key)
  }

  /** The same message with another payload: same id, same metadata. `null` makes a null payload. */
  derive(payload: Uint8Array | string | null, start?: number, end?: number): Message {
    const derived = new Message(payload, this.metadataPairs, undefined, start, end)
    derived.identity = this.sharedIdentity()
    return derived
  }

  /** The same message with metadata added; a value replaces the one of the same key. */
  withMetadata(additions: MetadataInput): Message {
    const pairs = isPairs(additions) ? additions : pairsFromRecord(additions)
    return pairs.length === 0 ? this : this.withPairs(mergePairs(this.metadataPairs, pairs))
  }

  /** The same message without some metadata keys; itself when it has none of them. */
  withoutMetadata(drop: (key: string) => boolean): Message {
    const pairs = withoutPairs(this.metadataPairs, drop)
    return pairs === this.metadataPairs ? this : this.withPairs(pairs)
  }

  /** The same message with exactly this metadata. */
  withPairs(pairs: MetadataPairs): Message {
    const derived = new Message(this.bytes, pairs, undefined, this.start, this.end)
    derived.identity = this.sharedIdentity()
    derived.views = this.views
    return derived
  }

  /**
   * The same payload and metadata under another id.
   *
   * @throws {TypeError} for a text that is not a UUID.
   */
  withId(id: string | IdHalves): Message {
    const derived = this.withPairs(this.metadataPairs)
    derived.identity = checkedId(id)
    return derived
  }

  /**
   * For whatever keeps a message beyond its batch: copies the payload when the slab is more than twice as large, so
   * that one small message does not hold a slab in memory.
   */
  detach(): Message {
    const length = this.end - this.start
    const sharesId = this.identity instanceof Message
    if (!sharesId && (this.isNull || this.bytes.buffer.byteLength <= 2 * length)) return this
    const copy = this.isNull ? null : Buffer.allocUnsafeSlow(length)
    if (copy !== null) this.bytes.copy(copy, 0, this.start, this.end)
    const detached = new Message(copy, this.metadataPairs)
    detached.identity = this.id
    return detached
  }

  private sharedViews(): Views {
    this.views ??= { payload: undefined, text: undefined, json: undefined }
    return this.views
  }

  private sharedIdentity(): string | IdHalves | Message {
    return this.identity ?? this
  }
}

function isPairs(metadata: MetadataInput): metadata is MetadataPairs {
  return Array.isArray(metadata)
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function checkedId(id: string | IdHalves): string | IdHalves {
  if (typeof id !== 'string') return id
  const parsed = parseId(id)
  if (parsed === undefined) throw new TypeError(`a message id must be a UUID, got ${JSON.stringify(id)}`)
  return parsed
}
