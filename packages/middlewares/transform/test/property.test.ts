import { readTree } from '@mqb/json'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printed, slowly } from './support/reference.ts'
import { typed } from './support/transform.ts'

const name = fc.constantFrom('a', 'b', 'price.usd', '__proto__', 'é', '', 'n"q')
const scalar = fc.constantFrom(
  ...['1', '-12', '1.0', '2e3', '0.5', '9007199254740993', 'true', 'false', 'null'],
  ...[
    '""',
    '"1"',
    '"0"',
    '"true"',
    '"1.50"',
    '"x"',
    '"\\u0031"',
    '"é\\n"',
    '" "',
    '"-7"',
    '"[\\"1\\"]"',
    '"{"',
  ],
)
const space = fc.constantFrom('', '', '', ' ', '\n\t')

/** Documents as text, so that they have white space, escapes, repeated keys and numbers of every look. */
const { document } = fc.letrec<{ document: string }>(tie => ({
  document: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc
      .array(fc.tuple(name, tie('document'), space), { maxLength: 5 })
      .map(
        members =>
          `{${members.map(([key, value, gap]) => `${gap}${JSON.stringify(key)}${gap}:${value}${gap}`).join(',')}}`,
      ),
    fc
      .array(fc.tuple(tie('document'), space), { maxLength: 4 })
      .map(list => `[${list.map(([value, gap]) => `${gap}${value}`).join(',')}]`),
    tie('document').map(inner => JSON.stringify(inner)),
  ),
}))

const types = fc.constantFrom('integer', 'number', 'boolean', 'string', 'array', 'object', 'null')
const { schema } = fc.letrec<{ schema: Record<string, unknown> }>(tie => ({
  schema: fc.record(
    {
      type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
      nullable: fc.boolean(),
      enum: fc.constantFrom(['1', 1, true, null], [0.5, 'x', []], [{}, 12, '']),
      properties: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constant({}),
        fc.array(fc.tuple(name, tie('schema')), { maxLength: 4 }).map(entries => Object.fromEntries(entries)),
      ),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      items: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constant({ type: 'integer' }),
        tie('schema'),
      ),
      contentMediaType: fc.constant('application/json'),
      contentSchema: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constant({}), tie('schema')),
      default: fc.constantFrom<unknown>(1, 'x', '1', {}, [], true),
      title: fc.constant('ignored'),
    },
    { requiredKeys: [] },
  ),
}))

describe('a schema over bytes', () => {
  it('does what reading, applying and printing would do', () => {
    let compared = 0
    fc.assert(
      fc.property(
        schema,
        document,
        fc.record({ coerce: fc.boolean(), defaults: fc.boolean(), emptyAsNull: fc.boolean() }),
        (written, text, options) => {
          let result: string
          try {
            result = typed(written, text, {
              coerce: options.coerce,
              apply_defaults: options.defaults,
              coerce_empty_as_null: options.emptyAsNull,
            })
          } catch {
            // The default does not fit the schema: refused at start.
            return
          }
          compared++
          const expected = slowly(written, text, options)
          if (expected === undefined) expect(result).toMatch(/^transform failed at \$/)
          else expect(printed(readTree(Buffer.from(result)))).toBe(printed(expected))
        },
      ),
      { numRuns: 2500 },
    )
    expect(compared).toBeGreaterThan(500)
  })

  it('leaves the bytes of a document alone when it visits nothing', () => {
    fc.assert(
      fc.property(document, text => {
        expect(typed({ title: 'nothing', properties: { never: {} } }, text)).toBe(text)
      }),
    )
  })

  it('leaves the bytes alone when everything fits', () => {
    const fits = {
      properties: { a: { type: ['integer', 'number', 'boolean', 'string', 'array', 'object', 'null'] } },
    }
    fc.assert(
      fc.property(document, text => {
        expect(typed(fits, text)).toBe(text)
      }),
    )
  })

  it('never throws anything but its own failure for bytes of any kind', () => {
    fc.assert(
      fc.property(schema, fc.uint8Array({ maxLength: 40 }), (written, bytes) => {
        const withoutDefaults = { apply_defaults: false }
        expect(typeof typed(written, bytes, withoutDefaults)).toBe('string')
      }),
      { numRuns: 1000 },
    )
  })
})
