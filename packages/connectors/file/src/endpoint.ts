import type { Readable, Writable } from 'node:stream'
import { defineEndpoint, type EndpointDefinition } from '@mqb/core'
import { capabilities } from './capabilities.ts'
import { type FileConfig, fileConfig } from './config.ts'
import { type FileSystem, nodeFileSystem } from './file-system.ts'
import { openConsumer } from './open-consumer.ts'
import { openPublisher } from './open-publisher.ts'
import { checkSide } from './side-rules.ts'

/** What the endpoint is built on; tests replace it to make disks fail and reads short. */
export interface FileParts {
  readonly fileSystem: FileSystem
  /** Bytes that one read asks for; 262144 when left out. */
  readonly readBytes?: number | undefined
  /** The streams of the process when left out. */
  readonly stdin?: Readable | undefined
  readonly stdout?: Writable | undefined
}

export function createFileEndpoint(replaced: Partial<FileParts> = {}): EndpointDefinition<FileConfig> {
  const parts: FileParts = { fileSystem: nodeFileSystem, ...replaced }
  return defineEndpoint<FileConfig>({
    summary:
      'Files and standard streams: JSON lines, CSV, raw lines, or whole messages with id and metadata.',
    config: fileConfig,
    examples: [
      { title: 'Read JSON lines', side: 'input', config: { path: 'orders.jsonl', format: 'raw' } },
      {
        title: 'Follow a log and go on after a restart',
        side: 'input',
        config: { path: 'app.log', format: 'raw', mode: 'group_subscribe', group_id: 'shipper' },
      },
      {
        title: 'Read CSV with semicolons',
        side: 'input',
        config: { path: 'orders.csv', format: 'csv', csv: { separator: ';' } },
      },
      { title: 'Write JSON lines', side: 'output', config: { path: 'out/orders.jsonl', format: 'raw' } },
      {
        title: 'Write messages with id and metadata, safe against a crash of the machine',
        side: 'output',
        config: { path: 'out/orders.log', fsync: 'batch' },
      },
      {
        title: 'Write CSV, a file for each tenant',
        side: 'output',
        config: { path: 'out/${metadata:tenant}.csv', format: 'csv' },
      },
    ],
    describe: config => `file ${config.path.source}`,
    capabilities,
    prepare: checkSide,
    openConsumer: (config, opening) => openConsumer(config, opening, parts),
    openPublisher: (config, opening) => openPublisher(config, opening, parts),
  })
}
