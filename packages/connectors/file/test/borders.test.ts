import { writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { messagesOf, never, openInput, openOutput, readAll, scratch } from './support/harness.ts'
import { type ReferenceDialect, referenceLines, referenceRows } from './support/reference-parser.ts'

let folder: ReturnType<typeof scratch>
beforeEach(() => {
  folder = scratch()
})
afterEach(() => folder.remove())

/** Bytes in which everything that means something to a splitter is frequent. */
const text = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          '\n',
          '\r\n',
          '\r',
          '"',
          '""',
          ',',
          ';',
          "'",
          '\t',
          '::',
          ':',
          '\x1e',
          '|',
        ),
      },
      {
        weight: 4,
        arbitrary: fc.constantFrom('a', 'bc', ' ', '\\', '\x00', '\x1f', 'é', '🎈', '{"x":1}', '\ufeff'),
      },
      { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
      { weight: 1, arbitrary: fc.constantFrom('x'.repeat(300), '"'.repeat(7)) },
    ),
    { maxLength: 60 },
  )
  .map(parts => Buffer.from(parts.join('')))

/** Begins like something that is refused, or might. */
const isGuarded = (bytes: Buffer): boolean => bytes[0] === 0 || (bytes[0] === 0x1f && bytes[1] === 0x8b)

const readBytes = fc.oneof(
  fc.integer({ min: 1, max: 9 }),
  fc.integer({ min: 10, max: 400 }),
  fc.constant(262_144),
)
const batchSize = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(1000))

describe('records are the same wherever the reads end', () => {
  it('raw, any delimiter, from a file', async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.constantFrom('\n', '::', '0x1e', '\r\n', 'é'),
        readBytes,
        batchSize,
        async (bytes, delimiter, size, messages) => {
          fc.pre(!isGuarded(bytes))
          const path = folder.path('lines')
          writeFileSync(path, bytes)
          const { end } = await openInput({ path, format: 'raw', delimiter }, {}, { readBytes: size })
          const read = await readAll(end, { messages, bytes: 1 << 20 })
          await end.close()
          expect(read.map(message => message.payload.toString('latin1'))).toEqual(
            referenceLines(bytes, delimiter === '0x1e' ? '\x1e' : delimiter),
          )
        },
      ),
      { numRuns: 250 },
    )
  })

  it('raw, from a pipe that hands over pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }),
        async (bytes, sizes) => {
          fc.pre(!isGuarded(bytes))
          const { end } = await openInput(
            { path: '-', format: 'raw' },
            {},
            { stdin: Readable.from(pieces(bytes, sizes)) },
          )
          const read = await readAll(end)
          await end.close()
          expect(read.map(message => message.payload.toString('latin1'))).toEqual(referenceLines(bytes, '\n'))
        },
      ),
      { numRuns: 100 },
    )
  })

  const dialects: fc.Arbitrary<ReferenceDialect> = fc.record({
    separator: fc.constantFrom(',', ';', '\t', '|'),
    quote: fc.constantFrom('"', "'", ''),
    delimiter: fc.constantFrom('\n', '::', '\x1e'),
    header: fc.boolean(),
    columns: fc.option(fc.constantFrom<readonly string[]>(['a'], ['id', 'name'], ['x', 'y"', 'ü']), {
      nil: undefined,
    }),
  })

  it('csv, any dialect', async () => {
    await fc.assert(
      fc.asyncProperty(text, dialects, readBytes, batchSize, async (bytes, dialect, size, messages) => {
        fc.pre(dialect.header || dialect.columns !== undefined)
        fc.pre(!isGuarded(bytes))
        const expected = referenceRows(bytes, dialect)
        // Such a file without any rows is refused.
        const hasLoneReturns = dialect.delimiter === '\n' && /[^\r]\r[^\r]/.test(bytes.toString('latin1'))
        fc.pre(!hasLoneReturns || (expected?.length ?? 0) > 0)
        const path = folder.path('rows.csv')
        writeFileSync(path, bytes)
        const { end } = await openInput(
          {
            path,
            format: 'csv',
            delimiter: dialect.delimiter,
            csv: {
              separator: dialect.separator,
              quote: dialect.quote === '' ? 'none' : dialect.quote,
              header: dialect.header,
              ...(dialect.columns === undefined ? {} : { columns: dialect.columns }),
            },
          },
          {},
          { readBytes: size },
        )
        const read = await readAll(end, { messages, bytes: 1 << 20 }).catch(error => error)
        await end.close()
        if (expected === undefined) expect(read).toMatchObject({ code: 'MQB_FILE_LONG_RECORD' })
        else
          expect((read as { text(): string }[]).map(message => JSON.parse(message.text()))).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  it('csv that was written reads back as it was, in any dialect', async () => {
    let run = 0
    const cell = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom('', '"', ',', '\n', '\r\n', "'", '::', ':', '\x1e', ';', '\ufeff'),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ a: cell, 'b c': cell }), { minLength: 1, maxLength: 8 }),
        dialects,
        readBytes,
        async (rows, dialect, size) => {
          fc.pre(dialect.quote !== '')
          const path = folder.path(`written-${run++}.csv`)
          const config = {
            path,
            format: 'csv',
            delimiter: dialect.delimiter,
            csv: {
              separator: dialect.separator,
              quote: dialect.quote,
              header: dialect.header,
              ...(dialect.header ? {} : { columns: ['a', 'b c'] }),
            },
          }
          const output = await openOutput(config)
          await output.end.send(messagesOf(rows.map(row => JSON.stringify(row))), never)
          await output.end.close()
          const input = await openInput(config, {}, { readBytes: size })
          const read = await readAll(input.end)
          await input.end.close()
          expect(read.map(message => message.json())).toEqual(rows)
        },
      ),
      { numRuns: 120 },
    )
  })
})

function* pieces(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] as number
    yield bytes.subarray(at, at + size)
    at += size
  }
}
