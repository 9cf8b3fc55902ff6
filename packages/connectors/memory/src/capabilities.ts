import { type Capabilities, noCapabilities, type Side } from '@mqb/core'
import { type MemoryConfig, redelivers, transportOf } from './config.ts'
import { maxPayloadBytes } from './ipc/codec.ts'

export function capabilities(config: MemoryConfig, side: Side): Capabilities {
  const inProcess = transportOf(config).kind === 'process'
  if (side === 'output') {
    return {
      ...noCapabilities,
      acks: inProcess,
      replies: config.request_reply && !config.subscribe_mode ? 'yes' : 'no',
      maxPayloadBytes: inProcess ? null : maxPayloadBytes,
    }
  }
  if (!inProcess) return { ...noCapabilities, stableId: true, maxPayloadBytes }
  return config.subscribe_mode
    ? { ...noCapabilities, acks: true, commitOrder: 'ordered', rewinds: true, stableId: true }
    : { ...noCapabilities, acks: redelivers(config), replies: 'depends', stableId: true }
}
