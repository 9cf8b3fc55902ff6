import { randomFillSync } from 'node:crypto'

/** 128 bits as two halves of 64, most significant first. */
export interface IdHalves {
  readonly high: bigint
  readonly low: bigint
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const hexShape = /^[0-9a-f]{32}$/i
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** UUID text in lower case. */
export function formatId({ high, low }: IdHalves): string {
  const digits =
    BigInt.asUintN(64, high).toString(16).padStart(16, '0') +
    BigInt.asUintN(64, low).toString(16).padStart(16, '0')
  return withDashes(digits)
}

/** Never throws: `undefined` for anything that is not a UUID, with or without dashes. For ids from the wire. */
export function parseId(text: string): string | undefined {
  if (uuidShape.test(text)) return text.toLowerCase()
  return hexShape.test(text) ? withDashes(text.toLowerCase()) : undefined
}

/** The halves of a UUID text in the form that `formatId` and `parseId` give. */
export function idHalves(id: string): IdHalves {
  const digits = id.replaceAll('-', '')
  return { high: BigInt(`0x${digits.slice(0, 16)}`), low: BigInt(`0x${digits.slice(16)}`) }
}

/** The 16 bytes of a UUID text, most significant first. */
export function idToBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

/** The UUID text of 16 bytes; `undefined` for any other number of them. */
export function idFromBytes(bytes: Uint8Array): string | undefined {
  if (bytes.byteLength !== 16) return undefined
  return withDashes(Buffer.from(bytes.buffer, bytes.byteOffset, 16).toString('hex'))
}

function withDashes(digits: string): string {
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`
}

// UUID version 7 (RFC 9562, 5.7): 48 bits of milliseconds, 12 bits that count within the millisecond (method 1 of 6.2,
// "fixed bit-length dedicated counter"), 62 random bits. Randomness is drawn for 2048 ids at a time.
const pool = Buffer.allocUnsafeSlow(16_384)
let poolOffset = pool.length
let lastMs = 0
let counter = 0
let prefix = ''

/** A fresh id. Ids of one process grow. */
export function mintId(): string {
  if (poolOffset === pool.length) {
    randomFillSync(pool)
    poolOffset = 0
  }
  const now = Date.now()
  if (now > lastMs) {
    lastMs = now
    counter = pool[poolOffset]! & 0x7f
    prefix = timePrefix(lastMs)
  } else if (++counter > 0xfff) {
    // More than 4096 in a millisecond, or a clock that went back: borrow from the next millisecond.
    lastMs++
    counter = 0
    prefix = timePrefix(lastMs)
  }
  const at = poolOffset
  poolOffset += 8
  const byte = (index: number): string => hex[pool[at + index]!]!
  return `${prefix}-7${hex[counter >> 8]![1]}${hex[counter & 0xff]}-${hex[(pool[at]! & 0x3f) | 0x80]}${byte(1)}-${byte(2)}${byte(3)}${byte(4)}${byte(5)}${byte(6)}${byte(7)}`
}

function timePrefix(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}
