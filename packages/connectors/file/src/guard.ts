import type { Format } from './config.ts'
import { fileError } from './errors.ts'

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
const utf16Marks = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]
const codecs: readonly (readonly [name: string, magic: Buffer])[] = [
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['lz4', Buffer.from([0x04, 0x22, 0x4d, 0x18])],
]

/** More bytes than this never change the judgement about a file. */
export const guardBytes = 16

/**
 * Looks at the first bytes of a file or stream.
 *
 * @param isFinal no more bytes come; else the answer may be `undefined`: too few to tell.
 * @returns how many bytes to pass over: those of a byte-order mark.
 * @throws {MqbError} for compressed and sealed data, and for UTF-16 where text is needed.
 */
export function checkStart(
  first: Buffer,
  format: Format,
  target: string,
  isFinal: boolean,
): number | undefined {
  for (const [name, magic] of codecs)
    if (startsWith(first, magic))
      throw fileError({ code: 'MQB_FILE_COMPRESSED', what: `${target} holds ${name} data` })
  if (isSealed(first)) throw fileError({ code: 'MQB_FILE_SEALED', what: `${target} holds sealed frames` })
  if (format === 'csv' && utf16Marks.some(mark => startsWith(first, mark)))
    throw fileError({ code: 'MQB_FILE_ENCODING', what: `${target} is UTF-16` })
  if (startsWith(first, byteOrderMark)) return byteOrderMark.length
  if (!isFinal && mayBecomeMark(first)) return undefined
  return 0
}

function startsWith(bytes: Buffer, prefix: Buffer): boolean {
  return bytes.length >= prefix.length && bytes.compare(prefix, 0, prefix.length, 0, prefix.length) === 0
}

function mayBecomeMark(first: Buffer): boolean {
  const marks = [byteOrderMark, ...utf16Marks, ...codecs.map(([, magic]) => magic)]
  if (marks.some(mark => first.length < mark.length && mark.subarray(0, first.length).equals(first)))
    return true
  return first[0] === 0 && first.length < guardBytes
}

/**
 * A frame is a length of 8 bytes, big-endian and at most 1 GiB, then a version (1), a cipher (0 or 1), and the length of
 * a printable key id. No text begins with zero bytes.
 */
function isSealed(first: Buffer): boolean {
  if (first.length < guardBytes || first.readUInt32BE(0) !== 0) return false
  const length = first.readUInt32BE(4)
  const keyIdLength = first[10] as number
  return (
    length >= 3 + keyIdLength + 12 + 16 &&
    length <= 1_073_741_824 &&
    first[8] === 1 &&
    (first[9] as number) <= 1 &&
    keyIdLength > 0 &&
    first.subarray(11, Math.min(11 + keyIdLength, guardBytes)).every(byte => byte >= 0x20 && byte < 0x7f)
  )
}
