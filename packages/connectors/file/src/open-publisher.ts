import { createTemplateScope, type Opening, type Publisher } from '@mqb/core'
import { type FileConfig, formatOf } from './config.ts'
import { CsvEncoder } from './csv/csv-encoder.ts'
import { parseDelimiter } from './delimiter.ts'
import { type Encoder, perMessage } from './encoder.ts'
import type { FileParts } from './endpoint.ts'
import { encodeEnvelope } from './envelope.ts'
import { dialectOf } from './open-consumer.ts'
import { OpenFiles } from './open-files.ts'
import { OutputPaths } from './output-paths.ts'
import { type Destination, FilePublisher } from './publisher.ts'
import { rawEncoder } from './raw-encoder.ts'
import { StreamSink } from './stdout.ts'

export async function openPublisher(
  config: FileConfig,
  opening: Opening,
  parts: FileParts,
): Promise<Publisher> {
  const { clock, log } = opening
  const { destination, release } = await openDestination(config, opening, parts)
  return new FilePublisher({
    target: config.path.prefix === '-' ? 'stdout' : `file ${config.path.prefix}`,
    destination,
    fsync: config.fsync,
    fsyncIntervalMs: config.fsync_interval_ms,
    clock,
    log,
    release,
  })
}

async function openDestination(
  config: FileConfig,
  opening: Opening,
  parts: FileParts,
): Promise<{ destination: Destination; release: () => Promise<void> }> {
  const { clock, log } = opening
  const path = config.path.prefix
  const encoderFor = (target: string): Encoder => createEncoder(config, opening, target)
  if (path === '-') {
    const sink = new StreamSink(parts.stdout ?? process.stdout)
    return { destination: { kind: 'one', sink, encoder: encoderFor('stdout') }, release: () => sink.close() }
  }
  const format = formatOf(config)
  const shape = {
    format,
    delimiter: parseDelimiter(config.delimiter),
    dialect: format === 'csv' ? dialectOf(config) : undefined,
  }
  const files = new OpenFiles({ fileSystem: parts.fileSystem, shape, clock, log }, encoderFor)
  const release = (): Promise<void> => files.close()
  if (!config.path.isConstant)
    return {
      destination: { kind: 'many', files, paths: new OutputPaths(config.path, createTemplateScope(clock)) },
      release,
    }
  const open = files.takeNow(config.path.prefix)
  try {
    await open.file.ensureOpen()
  } catch (error) {
    await release()
    throw error
  }
  return { destination: { kind: 'one', sink: open.file, encoder: open.encoder, open }, release }
}

function createEncoder(config: FileConfig, opening: Opening, target: string): Encoder {
  const format = formatOf(config)
  const delimiter = parseDelimiter(config.delimiter)
  if (format === 'raw') return rawEncoder(delimiter)
  if (format !== 'csv')
    return perMessage(delimiter, message => encodeEnvelope(message, format === 'json', delimiter))
  return new CsvEncoder({
    rules: {
      dialect: dialectOf(config),
      delimiter,
      nested: config.csv?.nested ?? 'flatten',
      onMismatch: config.csv?.on_mismatch ?? 'warn',
    },
    target,
    log: opening.log,
  })
}
