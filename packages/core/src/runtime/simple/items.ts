import { Message } from '../../message/message.ts'

/** The payload of a value: bytes and text as they are, anything else as JSON. `undefined`: it has none. */
export function payloadOf(value: unknown): Uint8Array | string | undefined {
  if (value instanceof Uint8Array || typeof value === 'string') return value
  return JSON.stringify(value)
}

/** A message of whatever a simple source handed over; `undefined` when it cannot be one. */
export function toMessage(item: unknown): Message | undefined {
  if (Message.is(item)) return item
  const payload = payloadOf(item)
  return payload === undefined ? undefined : new Message(payload)
}

/** Whether it can be gone through. Text and bytes can, but are one item, not many. */
export function isList(value: unknown): value is Iterable<unknown> {
  return (
    typeof value === 'object' && value !== null && Symbol.iterator in value && !(value instanceof Uint8Array)
  )
}

export function nameOf(value: unknown): string {
  if (value === null) return 'null'
  if (value instanceof Uint8Array) return 'bytes'
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`
}
