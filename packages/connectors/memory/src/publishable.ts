import { type Message, publishableMetadata } from '@mqb/core'

/** The messages without the metadata of the hop that they came from; the same array when there is none. */
export function publishable(messages: readonly Message[]): readonly Message[] {
  for (const message of messages) {
    if (message.metadataPairs.length > 0 && strip(message) !== message) return messages.map(strip)
  }
  return messages
}

function strip(message: Message): Message {
  const pairs = publishableMetadata(message.metadataPairs)
  return pairs === message.metadataPairs ? message : message.withPairs(pairs)
}
