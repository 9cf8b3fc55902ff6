import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Message } from '@mqb/core'

/** Asserts that exactly these payloads came, byte for byte; `ordered` also compares the order. */
export function assertSamePayloads(
  actual: readonly Message[],
  expected: readonly Message[],
  ordered: boolean,
): void {
  const got = actual.map(printable)
  const want = expected.map(printable)
  if (!ordered) {
    got.sort()
    want.sort()
  }
  if (got.length === want.length && got.every((text, index) => text === want[index])) return
  const missing = subtract(want, got)
  const extra = subtract(got, want)
  const difference = [
    missing.length > 0 ? `missing: ${list(missing)}` : '',
    extra.length > 0 ? `too many: ${list(extra)}` : '',
    missing.length + extra.length === 0 ? `the order is ${list(got)}, expected ${list(want)}` : '',
  ]
  assert.fail(
    `${want.length} messages went in, ${got.length} came out; ${difference.filter(part => part !== '').join('; ')}`,
  )
}

/** Asserts that each of these payloads came at least once. */
export function assertIncludesPayloads(actual: readonly Message[], expected: readonly Message[]): void {
  const missing = subtract([...new Set(expected.map(printable))], actual.map(printable))
  assert.ok(missing.length === 0, `missing: ${list(missing)}`)
}

/** Fingerprints of the bytes behind messages: what was handed over must never change. */
export class SlabWatch {
  // By message, not by slab: a reader may go on filling a slab behind the messages that it cut out of its beginning.
  private readonly seen = new Map<Message, string>()

  watch(messages: readonly Message[]): void {
    for (const message of messages)
      if (!this.seen.has(message)) this.seen.set(message, fingerprint(message.payload))
  }

  /** @param where what could have written, for the error. */
  assertUntouched(where: string): void {
    for (const [message, before] of this.seen)
      if (fingerprint(message.payload) !== before)
        assert.fail(`${where}: the bytes of a message that was handed over have changed`)
  }
}

function fingerprint(bytes: Buffer): string {
  return createHash('sha1').update(bytes).digest('base64')
}

/** Short enough for an error, and different for different payloads. */
function printable(message: Message): string {
  if (message.isNull) return 'null payload'
  if (message.byteLength <= 60) return `"${message.payload.toString('latin1')}"`
  return `${message.byteLength} bytes, sha1 ${fingerprint(message.payload)}`
}

function subtract(from: readonly string[], what: readonly string[]): string[] {
  const rest = [...what]
  return from.filter(text => {
    const at = rest.indexOf(text)
    if (at !== -1) rest.splice(at, 1)
    return at === -1
  })
}

function list(texts: readonly string[]): string {
  return texts.length <= 12
    ? texts.join(', ')
    : `${texts.slice(0, 12).join(', ')} and ${texts.length - 12} more`
}
