import { Message, type MetadataInput } from '@mqb/core'

/** Messages whose payloads are the given texts. */
export function textMessages(...texts: readonly string[]): Message[] {
  return texts.map(text => new Message(text))
}

/** `{"n":"0"}`, `{"n":"1"}` …: flat JSON with text values, which every format can carry. */
export function numberedMessages(count: number, from = 0, metadata?: MetadataInput): Message[] {
  return Array.from({ length: count }, (_, index) => Message.fromJson({ n: String(from + index) }, metadata))
}

/** Payloads as text, for comparing. */
export function payloadTexts(messages: readonly Message[]): string[] {
  return messages.map(message => message.text())
}

/** Messages cut out of one shared slab, as a reader of files hands them over. */
export function slabMessages(...texts: readonly string[]): Message[] {
  const slab = Buffer.from(texts.join('\n'))
  let start = 0
  return texts.map(text => {
    const end = start + Buffer.byteLength(text)
    const message = Message.view(slab, start, end)
    start = end + 1
    return message
  })
}
