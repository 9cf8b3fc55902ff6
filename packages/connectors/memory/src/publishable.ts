import { type Message, publishableMetadata } from '@mqb/core'

/** The messages without the metadata of the hop that they came from; the same array when there is none. */
export function publishable(messages: readonly Message[]): readonly Message[] {
  for (let index = 0; index < messages.length; index++) {
    if (strip(messages[index]!) !== messages[index]) return messages.map(strip)
  }
  return messages
}

function strip(message: Message): Message {
  const pairs = publishableMetadata(message.metadataPairs)
  return pairs === message.metadataPairs ? message : message.withPairs(pairs)
}
