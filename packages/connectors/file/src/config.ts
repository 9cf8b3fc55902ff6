import { template } from '@mqb/core/config'
import * as z from 'zod'
import { checkDialect } from './csv/dialect.ts'
import { parseDelimiter } from './delimiter.ts'

/** Spellings of the formats: the long ones say what stands in the file. */
const formats = {
  normal: 'normal',
  envelope: 'normal',
  json: 'json',
  envelope_json: 'json',
  text: 'text',
  envelope_text: 'text',
  raw: 'raw',
  payload: 'raw',
  csv: 'csv',
} as const

export type Format = (typeof formats)[keyof typeof formats]

const formatNames = Object.keys(formats) as [keyof typeof formats]

export const csvConfig = z.strictObject({
  separator: z
    .string()
    .default(',')
    .meta({
      description:
        'Between fields: one ASCII character, `tab`, `space`, `comma`, `semicolon`, `pipe`, a hex byte, or `auto` (inputs: the most frequent of `,` `;` tab `|` in the first record).',
      examples: [';', 'tab', 'auto'],
    }),
  quote: z
    .string()
    .default('"')
    .meta({ description: 'Around fields: one ASCII character, or `none`.', examples: ['"', "'", 'none'] }),
  header: z.boolean().default(true).meta({
    description:
      'The first record names the columns. An input without one needs `columns`; an output without one writes rows only.',
  }),
  columns: z
    .array(z.string())
    .min(1)
    .optional()
    .meta({
      description:
        'Input: names that replace those of the header. Output: exactly these columns, in this order.',
      examples: [['id', 'name']],
    }),
  nested: z.enum(['flatten', 'json']).default('flatten').meta({
    description: 'Objects inside a payload become columns `parent.child`, or JSON text in one cell.',
    side: 'output',
  }),
  on_mismatch: z.enum(['warn', 'fail']).default('warn').meta({
    description:
      'A payload without some column, or with keys that have none: written with a warning (missing cells empty, extra keys dropped), or failed.',
    side: 'output',
  }),
})

/** A field that is known and refused until its feature exists. */
const later = (what: string, mend: string) => ({
  code: 'custom' as const,
  message: `${what} comes with a later version`,
  params: { mend },
})

export const fileConfig = z
  .strictObject({
    path: template().meta({
      description:
        'The file; `-` is standard input or output. On an output it may hold tokens: the file that a message goes to then depends on it, always below the text before the first token.',
      examples: ['orders.jsonl', 'out/${metadata:tenant}/orders.jsonl'],
      uri: 'path',
    }),
    format: z
      .enum([...formatNames, 'parquet'])
      .default('normal')
      .meta({
        description:
          'What a record holds. `normal`, `json` and `text` (also `envelope`, `envelope_json`, `envelope_text`): a JSON object with id, metadata and payload. `raw` (`payload`): the payload alone. `csv`: a row.',
        examples: ['raw', 'csv'],
      }),
    delimiter: z
      .string()
      .min(1)
      .default('\n')
      .meta({
        description:
          'Ends each record: any text, or one byte in hex. A carriage return before a line feed is part of it.',
        examples: ['0x1e', '\r\n'],
      }),
    csv: csvConfig.optional().meta({ description: 'The dialect of `format: csv`.' }),
    mode: z.enum(['consume', 'subscribe', 'group_subscribe']).default('consume').meta({
      description:
        '`consume` reads from the first byte in every run, `subscribe` what is appended from now on, `group_subscribe` from where the group stood, kept in `<path>.<group_id>.offset`.',
      side: 'input',
    }),
    delete: z.boolean().default(false).meta({
      description:
        'Removes records from the file once they are acknowledged: with `consume` for one route, with `subscribe` when all subscribers of this process have them. Only where no other process writes.',
      side: 'input',
    }),
    group_id: z
      .string()
      .regex(/^[^/\\\0]+$/, 'must be usable in a file name: no slashes')
      .optional()
      .meta({
        description: 'Names the offset file of `mode: group_subscribe`, which needs it.',
        examples: ['billing'],
        side: 'input',
      }),
    read_from_tail: z.boolean().default(false).meta({
      description: '`group_subscribe` that has no position yet starts at the end of the file.',
      side: 'input',
    }),
    source_metadata: z.boolean().default(false).meta({
      description:
        'Adds `mqb.src.file_path`, `mqb.src.file_record` and, where a run does not start at byte 0, `mqb.src.file_epoch`.',
      side: 'input',
    }),
    max_record_bytes: z
      .int()
      .min(1)
      .max(1_073_741_824)
      .default(67_108_864)
      .meta({
        description: 'The longest record that is read; bounds the memory that one line can take.',
        examples: [1_048_576],
        side: 'input',
      }),
    on_long_record: z.enum(['fail', 'skip']).default('fail').meta({
      description:
        'A record over `max_record_bytes`, or a CSV quote that never closes: ends the route, or is left out with a warning that names its bytes.',
      side: 'input',
    }),
    position_lost: z.enum(['fail', 'earliest', 'latest', 'nearest']).default('fail').meta({
      description:
        'What `group_subscribe` does when its offset file cannot be read: end the route, start at the beginning, start at the end, or start as near as possible (here: the beginning).',
      side: 'input',
    }),
    fsync: z.enum(['off', 'batch', 'periodic']).default('off').meta({
      description:
        'When written bytes are forced to the disk: never (a crash of the machine can lose acknowledged messages), before each acknowledgement, or every `fsync_interval_ms`.',
      side: 'output',
    }),
    fsync_interval_ms: z.int().min(1).max(3_600_000).default(1000).meta({
      description: 'The pause of `fsync: periodic`.',
      side: 'output',
    }),
    name_by: z.enum(['auto', 'write_time', 'source_position']).default('auto').meta({
      description: 'How files are named. Here `auto` and `write_time` both mean the file of `path`.',
      side: 'output',
    }),
    compression: z.enum(['none', 'gzip', 'lz4', 'zstd']).default('none').meta({
      description: 'Only `none` for now. Compressed files are recognised and refused.',
    }),
    encryption: z.unknown().optional().meta({ description: 'Encryption at rest; not in this version.' }),
    idempotency: z
      .unknown()
      .optional()
      .meta({ description: 'Old spelling of `name_by`; not in this version.' }),
  })
  .superRefine((config, context) => {
    const issue = (path: (string | number)[], problem: ReturnType<typeof later>) =>
      context.addIssue({ ...problem, path, input: undefined })
    if (config.format === 'parquet')
      issue(['format'], {
        code: 'custom',
        message: 'parquet files cannot be appended to',
        params: { mend: 'use raw, json or csv here; parquet comes with object stores in a later version' },
      })
    if (config.compression !== 'none')
      issue(
        ['compression'],
        later(`compression ${config.compression}`, 'decompress first: zcat FILE | mqb copy - TARGET'),
      )
    if (config.encryption !== undefined)
      issue(['encryption'], later('encryption at rest', 'leave the field out'))
    if (config.name_by === 'source_position')
      issue(['name_by'], later('name_by: source_position', 'leave the field out'))
    if (config.idempotency !== undefined) issue(['idempotency'], later('idempotency', 'leave the field out'))
    if (config.csv !== undefined || config.format === 'csv')
      for (const { field, what, mend } of checkDialect(
        config.csv ?? { separator: ',', quote: '"', header: true },
        parseDelimiter(config.delimiter),
      ))
        issue(field === 'delimiter' ? ['delimiter'] : ['csv', field], {
          code: 'custom',
          message: what,
          params: { mend },
        })
  })

export type FileConfig = z.output<typeof fileConfig>
export type CsvConfig = z.output<typeof csvConfig>

declare module '@mqb/core' {
  interface EndpointConfigs {
    readonly file: z.input<typeof fileConfig>
  }
}

/** The format without its second spellings. */
export function formatOf(config: FileConfig): Format {
  return formats[config.format as keyof typeof formats]
}
