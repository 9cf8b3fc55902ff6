import type { Consumer, Opening } from '@mqb/core'
import { type FileConfig, formatOf } from './config.ts'
import { FileConsumer } from './consumer.ts'
import { CsvSplitter } from './csv/csv-splitter.ts'
import { resolveDialect } from './csv/dialect.ts'
import { parseDelimiter } from './delimiter.ts'
import type { FileParts } from './endpoint.ts'
import { envelopeDecoder } from './envelope.ts'
import { FileOpener } from './file-opener.ts'
import { GroupPosition } from './group-position.ts'
import { LineSplitter } from './line-splitter.ts'
import { LongRecordPolicy } from './long-record.ts'
import { offsetPath } from './offset-file.ts'
import type { InputOpener } from './record-input.ts'
import { RemovalOpener } from './removal-store.ts'
import type { Splitter, Stamp } from './splitter.ts'
import { StdinOpener } from './stdin.ts'

export async function openConsumer(
  config: FileConfig,
  opening: Opening,
  parts: FileParts,
): Promise<Consumer> {
  const path = config.path.prefix
  const stamping = createStamp(config, opening)
  const consumer = new FileConsumer({
    target: path === '-' ? 'stdin' : `file ${path}`,
    format: formatOf(config),
    opener: createOpener(config, opening, parts),
    splitter: createSplitter(config, opening, stamping?.stamp),
    drain: opening.drain,
    clock: opening.clock,
    log: opening.log,
    readBytes: parts.readBytes,
    onOpen: stamping?.onOpen,
  })
  await consumer.start()
  return consumer
}

function createOpener(config: FileConfig, opening: Opening, parts: FileParts): InputOpener {
  const path = config.path.prefix
  if (path === '-') return new StdinOpener(parts.stdin)
  const { fileSystem } = parts
  const { clock, log } = opening
  if (config.delete)
    return new RemovalOpener({ path, fileSystem, isExclusive: config.mode === 'consume', log })
  const group =
    config.mode === 'group_subscribe'
      ? new GroupPosition({
          path: offsetPath(path, config.group_id ?? ''),
          lost: config.position_lost,
          fileSystem,
          clock,
          log,
        })
      : undefined
  return new FileOpener({
    fileSystem,
    path,
    format: formatOf(config),
    delimiter: parseDelimiter(config.delimiter),
    clock,
    log,
    atTail: config.mode === 'subscribe' || (group !== undefined && config.read_from_tail),
    group,
  })
}

function createSplitter(config: FileConfig, opening: Opening, stamp: Stamp | undefined): Splitter {
  const format = formatOf(config)
  const target = config.path.prefix
  const { log, counters } = opening
  const delimiter = parseDelimiter(config.delimiter)
  const longRecords = new LongRecordPolicy({
    maxBytes: config.max_record_bytes,
    action: config.on_long_record,
    target,
    log,
    counters,
  })
  if (format === 'csv')
    return new CsvSplitter({ dialect: dialectOf(config), delimiter, longRecords, target, log, stamp })
  const decode = format === 'raw' ? undefined : envelopeDecoder(target, log, format === 'normal')
  return new LineSplitter({ delimiter, longRecords, decode, stamp })
}

export function dialectOf(config: FileConfig) {
  return resolveDialect(config.csv ?? { separator: ',', quote: '"', header: true })
}

/** Metadata that says where a message was read, where that is wanted. */
function createStamp(
  config: FileConfig,
  opening: Opening,
): { readonly stamp: Stamp; readonly onOpen: (path: string) => void } | undefined {
  const isGroup = config.mode === 'group_subscribe'
  const stampsSource = (config.source_metadata || opening.sourceMetadata) && config.path.prefix !== '-'
  if (!isGroup && !stampsSource) return undefined
  // Runs that do not start at the first byte count their records from wherever they began.
  const epoch = config.mode === 'consume' && !config.delete ? undefined : String(opening.clock.now())
  let path = config.path.prefix
  return {
    onOpen: opened => {
      path = opened
    },
    stamp: (position, record) => {
      const pairs: string[] = isGroup ? ['file_offset', String(position)] : []
      if (stampsSource) {
        pairs.push('mqb.src.file_path', path, 'mqb.src.file_record', String(record))
        if (epoch !== undefined) pairs.push('mqb.src.file_epoch', epoch)
      }
      return pairs
    },
  }
}
