import { type Capabilities, type Lack, noCapabilities, type Side } from '@mqb/core'
import { type FileConfig, type Format, formatOf } from './config.ts'

const inPayloadsOnly: Readonly<Partial<Record<Format, readonly Lack[]>>> = {
  raw: ['metadata', 'binary', 'null'],
  csv: ['metadata', 'binary', 'empty', 'null'],
}

export function capabilities(config: FileConfig, side: Side): Capabilities {
  const format = formatOf(config)
  const lacks = inPayloadsOnly[format] ?? []
  const shared = { ...noCapabilities, lacks }
  if (side === 'output')
    return { ...shared, acks: true, orderedPublish: config.path.isConstant ? 'pipelined' : 'no' }
  const isStream = config.path.source === '-'
  const fromStart = config.mode === 'consume' && !config.delete
  return {
    ...shared,
    commitOrder: 'ordered',
    rewinds: true,
    // What a subscriber without memory has not acknowledged when it ends is passed over by its next run.
    acks: !isStream && (config.mode !== 'subscribe' || config.delete),
    ...(fromStart && !isStream ? { startsOver: true } : {}),
    stableId: lacks.length === 0,
    pins: config.mode === 'group_subscribe',
    position: isStream
      ? null
      : {
          keys: ['mqb.src.file_path', 'mqb.src.file_record', ...(fromStart ? [] : ['mqb.src.file_epoch'])],
          replayable: fromStart,
        },
  }
}
