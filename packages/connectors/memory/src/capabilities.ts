import { type Capabilities, noCapabilities, type Side } from '@mqb/core'
import { type MemoryConfig, redelivers, transportOf } from './config.ts'
import { maxFrameBytes } from './ipc/codec.ts'

/** A frame has room for the id, the lengths and a little metadata besides the payload. */
const maxIpcPayloadBytes = maxFrameBytes - 65_536

export function capabilities(config: MemoryConfig, side: Side): Capabilities {
  const inProcess = transportOf(config).kind === 'process'
  if (side === 'output') {
    return {
      ...noCapabilities,
      acks: inProcess,
      replies: config.request_reply && !config.subscribe_mode ? 'yes' : 'no',
      maxPayloadBytes: inProcess ? null : maxIpcPayloadBytes,
    }
  }
  if (!inProcess) return { ...noCapabilities, stableId: true, maxPayloadBytes: maxIpcPayloadBytes }
  return config.subscribe_mode
    ? { ...noCapabilities, acks: true, commitOrder: 'ordered', stableId: true }
    : { ...noCapabilities, acks: redelivers(config), replies: 'depends', stableId: true }
}
