import { endpoint, secret, template } from '@mqb/core/config'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { fieldRows, fieldTable } from '../fields.ts'
import { formsOf, schemaOf } from '../schema.ts'

const rowsOf = (schema: z.ZodType) => fieldRows(formsOf(schemaOf(schema)).object ?? {})
const rowOf = (field: z.ZodType) => rowsOf(z.strictObject({ field }))[0]

describe('the table of fields', () => {
  it('shows type, default, side, description and examples', () => {
    const schema = z.strictObject({
      path: z.string().meta({ description: 'Where.', examples: ['a.csv'], side: 'input' }),
      count: z.int().min(1).default(3),
    })
    expect(fieldTable(schemaOf(schema))).toBe(
      [
        '| Field | Type | Default | Side | Description |',
        '| --- | --- | --- | --- | --- |',
        '| `path` | text | required | input | Where. E.g. `a.csv`. |',
        '| `count` | integer ≥ 1 | `3` |  |  |',
      ].join('\n'),
    )
  })

  it.each([
    [z.enum(['a', 'b']), '`a`, `b`'],
    [z.number().gt(0).lt(1), 'number > 0, < 1'],
    [z.int(), 'integer'],
    [z.array(z.string()), 'list of text'],
    [z.record(z.string(), z.int()), 'map of integer'],
    [z.union([z.string(), z.array(z.string())]), 'text or list of text'],
    [endpoint('output'), 'output endpoint'],
    [template(), 'template'],
    [secret(), 'secret'],
    [z.unknown(), 'any value'],
  ])('names the type %#', (field, type) => {
    expect(rowOf(field)?.type).toBe(type)
  })

  it('shows no example of a secret', () => {
    expect(rowOf(secret().meta({ secret: true, examples: ['hunter2'] }))?.description).toBe('')
  })

  it('says when a default comes from the route', () => {
    expect(rowOf(z.string().optional().meta({ defaultFrom: 'route' }))?.fallback).toBe('from the route name')
  })

  it('lists nested fields by their dotted path', () => {
    const schema = z.strictObject({
      tls: z.strictObject({ ca_file: z.string() }).optional(),
      entries: z.array(z.strictObject({ key: z.string() })).default([]),
      each: z.record(z.string(), z.strictObject({ path: z.string() })).optional(),
    })
    expect(rowsOf(schema).map(row => row.name)).toEqual([
      'tls',
      'tls.ca_file',
      'entries',
      'entries[].key',
      'each',
      'each.*.path',
    ])
  })

  it('describes short forms beside the fields', () => {
    const schema = z.union([
      z.string().meta({ description: 'The body.' }),
      z.strictObject({ body: z.string() }),
    ])
    expect(fieldTable(schemaOf(schema))).toMatch(/^Short form: text\. The body\.\n\n\| Field/)
  })

  it('says so when there is nothing to configure', () => {
    expect(fieldTable(schemaOf(z.strictObject({})))).toBe('No fields: write `{}`.')
  })

  it('escapes bars, which would end a cell', () => {
    const schema = z.strictObject({ mode: z.string().meta({ description: 'Either a|b.' }) })
    expect(fieldTable(schemaOf(schema))).toContain('Either a\\|b.')
  })
})
