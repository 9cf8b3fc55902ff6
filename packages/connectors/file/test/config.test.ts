import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MqbError } from '@mqb/core'
import { describe, expect, it } from 'vitest'
import type { ZodType } from 'zod'
import { type FileConfig, fileConfig } from '../src/config.ts'
import { errorCodes } from '../src/errors.ts'
import plugin from '../src/index.ts'
import { checkSide } from '../src/side-rules.ts'
import { deriveFromUri } from '../src/uri.ts'

function problems(raw: Record<string, unknown>): string[] {
  const result = (fileConfig as ZodType<FileConfig>).safeParse({ path: 'x', ...raw })
  return result.success ? [] : result.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`)
}

function sideProblem(raw: Record<string, unknown>, side: 'input' | 'output'): string | undefined {
  const warnings: string[] = []
  try {
    checkSide((fileConfig as ZodType<FileConfig>).parse({ path: 'x', ...raw }), {
      path: `r.${side}.file`,
      side,
      warn: what => warnings.push(what),
    })
    return warnings[0]
  } catch (error) {
    if (!MqbError.is(error) || error.kind !== 'config') throw error
    return error.where
  }
}

describe('fields that come later', () => {
  for (const [raw, where] of [
    [{ compression: 'gzip' }, 'compression'],
    [{ encryption: { key: 'x' } }, 'encryption'],
    [{ name_by: 'source_position' }, 'name_by'],
    [{ idempotency: true }, 'idempotency'],
    [{ format: 'parquet' }, 'format'],
  ] as const)
    it(`${where} is known and refused in one line`, () => {
      expect(problems(raw)).toEqual([
        expect.stringMatching(new RegExp(`^${where}: .*(later version|appended)`)),
      ])
    })

  it('their harmless values are accepted', () => {
    expect(problems({ compression: 'none', name_by: 'write_time' })).toEqual([])
  })
})

describe('the csv block', () => {
  for (const [title, raw, where] of [
    ['separator and quote are equal', { csv: { separator: "'", quote: "'" } }, 'csv.quote'],
    ['the delimiter holds the separator', { delimiter: ',;' }, 'delimiter'],
    ['the delimiter holds the quote', { delimiter: '0x22' }, 'delimiter'],
    ['the separator is not ASCII', { csv: { separator: '→' } }, 'csv.separator'],
    ['the separator is a line feed', { csv: { separator: '\n' } }, 'csv.separator'],
    ['the separator is a word', { csv: { separator: 'colon' } }, 'csv.separator'],
    ['a column is listed twice', { csv: { columns: ['a', 'a'] } }, 'csv.columns'],
    ['a key is misspelt', { csv: { seperator: ';' } }, 'csv'],
  ] as const)
    it(`is refused when ${title}`, () => {
      expect(problems({ format: 'csv', ...raw })).toEqual([expect.stringContaining(`${where}: `)])
    })
})

describe('rules about sides', () => {
  for (const [title, raw, side, where] of [
    [
      'auto on an output',
      { format: 'csv', csv: { separator: 'auto' } },
      'output',
      'r.output.file.csv.separator',
    ],
    [
      'on_mismatch: fail on an input',
      { format: 'csv', csv: { on_mismatch: 'fail' } },
      'input',
      'r.input.file.csv.on_mismatch',
    ],
    [
      'no header and no columns on an input',
      { format: 'csv', csv: { header: false } },
      'input',
      'r.input.file.csv.columns',
    ],
    ['group_subscribe without group_id', { mode: 'group_subscribe' }, 'input', 'r.input.file.group_id'],
    ['group_id without group_subscribe', { group_id: 'g' }, 'input', 'r.input.file.group_id'],
    [
      'delete with a group',
      { mode: 'group_subscribe', group_id: 'g', delete: true },
      'input',
      'r.input.file.delete',
    ],
    [
      'csv with subscribe and delete',
      { mode: 'subscribe', delete: true, format: 'csv' },
      'input',
      'r.input.file.delete',
    ],
    ['a token in the path of an input', { path: 'a/${metadata:x}' }, 'input', 'r.input.file.path'],
    ['a mode on the standard input', { path: '-', mode: 'subscribe' }, 'input', 'r.input.file.mode'],
  ] as const)
    it(`${title} is an error`, () => {
      expect(sideProblem(raw, side)).toBe(where)
    })

  it('a csv block with another format is a warning', () => {
    expect(sideProblem({ csv: { separator: ';' } }, 'input')).toContain('means nothing')
  })

  it('a group id cannot leave the directory of the file', () => {
    expect(problems({ group_id: '../x' })).toHaveLength(1)
  })
})

describe('URIs', () => {
  const derive = (path: string) => deriveFromUri({ path, parameters: {}, side: 'input' })

  it('are raw unless the path ends in .csv, and name the codec of a compressed file', () => {
    expect(derive('-')).toEqual({ format: 'raw' })
    expect(derive('a/b.jsonl')).toEqual({ format: 'raw' })
    expect(derive('a/b.CSV')).toEqual({ format: 'csv' })
    expect(derive('b.csv.gz')).toEqual({ format: 'csv', compression: 'gzip' })
    expect(derive('b.zst')).toEqual({ format: 'raw', compression: 'zstd' })
  })
})

describe('declarations', () => {
  it('every field has a description', () => {
    const shape: Readonly<Record<string, { meta(): { description?: string | undefined } | undefined }>> =
      fileConfig.shape
    for (const [name, field] of Object.entries(shape))
      expect([name, field.meta()?.description]).not.toContain(undefined)
  })

  it('every example is valid', async () => {
    const endpoint = plugin.endpoints?.file
    for (const example of endpoint?.examples ?? []) {
      const config = (fileConfig as ZodType<FileConfig>).parse(example.config)
      expect(() => checkSide(config, { path: 'x', side: example.side, warn: () => undefined })).not.toThrow()
    }
  })

  it('every code that is used is in the table, and every code of the table is used', () => {
    const folder = fileURLToPath(new URL('../src', import.meta.url))
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      name => name.endsWith('.ts') && name !== 'errors.ts',
    )
    const used = new Set(
      sources.flatMap(
        name => readFileSync(join(folder, name), 'utf8').match(/MQB_(FILE|STDOUT)_[A-Z_]+/g) ?? [],
      ),
    )
    for (const code of ['MQB_FILE_DENIED', 'MQB_FILE_NOT_A_FILE', 'MQB_FILE_IO']) used.add(code)
    expect([...used].sort()).toEqual(Object.keys(errorCodes).sort())
  })
})
