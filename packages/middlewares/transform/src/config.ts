import { expression } from '@mqb/core/expression'
import * as z from 'zod'
import { MappingError } from './mapping/mapping.ts'
import { compileInlineSchema, compileMapping } from './plan.ts'
import { SchemaError } from './schema/problem.ts'

const path = z
  .string()
  .meta({ description: 'Field of the payload: `$.a.b`, `a.b`, `$.items[0]`.', examples: ['$.customer.name'] })

const rule = z.strictObject({
  path,
  default: z
    .unknown()
    .meta({ description: 'Value for a field that is absent.', examples: ['unknown'] })
    .optional(),
  required: z
    .boolean()
    .default(false)
    .meta({ description: 'A message without the field, and without a default for it, fails for good.' }),
})

export const transformConfig = z
  .strictObject({
    mapping: z
      .record(z.string(), z.union([path, rule]))
      .default({})
      .meta({
        description:
          'First stage: the output document, field by field. The key is the name in the output, dots nest; the value is a path, or an object of `path`, `default` and `required`.',
        examples: [{ id: '$.user_id', 'address.city': { path: '$.city', default: 'unknown' } }],
      }),
    expression: expression()
      .meta({
        description: 'Second stage: an expression that gives the output document.',
        examples: ["{ fullName: first + ' ' + last, source: meta.source }"],
      })
      .optional(),
    schema: z
      .unknown()
      .meta({
        description:
          'Third stage: a JSON Schema, as an object. Applied are `type`, `properties`, `required`, `items`, `enum`, `default`, `nullable`, `contentMediaType` and `contentSchema`.',
        examples: [{ type: 'object', properties: { qty: { type: 'integer' } }, required: ['qty'] }],
      })
      .optional(),
    schema_file: z
      .string()
      .min(1)
      .meta({
        description: 'Instead of `schema`: a JSON file that holds it, read once at start.',
        examples: ['schemas/order.json'],
      })
      .optional(),
    coerce: z.boolean().default(true).meta({
      description:
        'Turns texts into the numbers and truth values that the schema wants, and numbers into texts, without loss.',
    }),
    apply_defaults: z.boolean().default(true).meta({
      description:
        'Puts the `default` of the schema in for fields that are absent, or null where null is not allowed.',
    }),
    coerce_empty_as_null: z
      .boolean()
      .default(false)
      .meta({ description: 'Reads an empty text in a field that the schema declares as null.' }),
    on_error: z
      .enum(['reject', 'pass_through'])
      .default('reject')
      .meta({
        description:
          'A message that does not fit: `reject` fails it on an output and drops it on an input; `pass_through` sends it on as it was, with the reason in the metadata `mqb.transform_error`.',
        examples: ['pass_through'],
      }),
  })
  .check(({ value, issues }) => {
    const problem = (at: readonly (string | number)[], message: string, mend: string): void => {
      issues.push({ code: 'custom', path: [...at], message, params: { mend }, input: value })
    }
    try {
      compileMapping(value)
    } catch (error) {
      if (!(error instanceof MappingError)) throw error
      for (const { key, atPath, what, mend } of error.problems)
        problem(
          atPath && typeof value.mapping[key] === 'object' ? ['mapping', key, 'path'] : ['mapping', key],
          what,
          mend,
        )
    }
    if (value.schema === undefined) return
    if (value.schema_file !== undefined)
      problem(['schema_file'], 'schema and schema_file exclude each other', 'remove one of them')
    if (typeof value.schema !== 'object' || value.schema === null || Array.isArray(value.schema)) {
      problem(
        ['schema'],
        'expected a JSON Schema as an object',
        'write it as a map, or put it into a file and name that with schema_file',
      )
      return
    }
    try {
      compileInlineSchema(value)
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      for (const { path: at, what, mend } of error.problems) problem(['schema', ...at], what, mend)
    }
  })

export type TransformConfig = z.output<typeof transformConfig>

declare module '@mqb/core' {
  interface MiddlewareConfigs {
    readonly transform: z.input<typeof transformConfig>
  }
}
