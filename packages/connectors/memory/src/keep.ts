import type { Message } from '@mqb/core'

/** Below this much waste a copy costs more than it frees. */
const slackBytes = 65_536

/** Messages that stay in memory beyond the batch they came in. */
export interface Kept {
  readonly messages: readonly Message[]
  /** Payload bytes of all of them. */
  readonly bytes: number
}

/**
 * Makes a batch fit to be kept. It goes on by reference as long as its messages fill their slabs; where a few messages
 * would hold large slabs (what a filter left over), those are copied out.
 */
export function keep(messages: readonly Message[]): Kept {
  let bytes = 0
  let held = 0
  let slab: Buffer | undefined
  let memory: ArrayBufferLike | undefined
  for (const message of messages) {
    bytes += message.byteLength
    if (message.bytes === slab) continue
    slab = message.bytes
    if (slab.buffer === memory) continue
    memory = slab.buffer
    held += memory.byteLength
  }
  const wasteful = held > 2 * bytes && held - bytes > slackBytes
  return { messages: wasteful ? messages.map(message => message.detach()) : messages, bytes }
}
