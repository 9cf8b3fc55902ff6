import { defineMiddleware, definePlugin, type Opening, type PrepareContext } from '@mqb/core'
import { type TransformConfig, transformConfig } from './config.ts'
import { transformConsumer } from './input.ts'
import { transformPublisher } from './output.ts'
import { planTransform, type TransformPlan } from './plan.ts'
import { Transformer } from './transformer.ts'

export { type TransformConfig, transformConfig } from './config.ts'
export { errorCodes } from './errors.ts'

// What was made of a configuration when it was checked, so that its file is read once.
const plans = new WeakMap<TransformConfig, TransformPlan>()

export default definePlugin({
  name: '@mqb/transform',
  middlewares: {
    transform: defineMiddleware<TransformConfig>({
      summary: 'Reshapes, computes and types JSON payloads.',
      config: transformConfig,
      examples: [
        {
          title: 'Types and a default for what a CSV file says in texts',
          side: 'input',
          config: {
            coerce_empty_as_null: true,
            schema: {
              type: 'object',
              properties: { qty: { type: 'integer' }, tier: { type: 'string', default: 'standard' } },
              required: ['qty'],
            },
          },
        },
        {
          title: 'Another shape, with a computed field',
          side: 'output',
          config: {
            mapping: { id: '$.user_id', first: '$.first_name', last: '$.last_name' },
            expression: "{ id: id, fullName: first + ' ' + last }",
          },
        },
      ],
      changes: (capabilities, config) =>
        config.on_error === 'reject' && hasStages(config)
          ? { ...capabilities, keepsAll: false }
          : capabilities,
      prepare(config, context) {
        const plan = planTransform(config, context.path)
        plans.set(config, plan)
        warnings(plan, context)
      },
      wrapConsumer(inner, config, opening) {
        const transformer = createTransformer(config, opening)
        return transformer.isIdle ? inner : transformConsumer(inner, transformer, opening)
      },
      wrapPublisher(inner, config, opening) {
        const transformer = createTransformer(config, opening)
        return transformer.isIdle ? inner : transformPublisher(inner, transformer, opening)
      },
    }),
  },
})

function createTransformer(config: TransformConfig, { path, counters }: Opening): Transformer {
  return new Transformer(config, plans.get(config) ?? planTransform(config, path), counters)
}

function hasStages({ mapping, expression, schema, schema_file: file }: TransformConfig): boolean {
  return Object.keys(mapping).length > 0 || [expression, schema, file].some(stage => stage !== undefined)
}

function warnings({ schema }: TransformPlan, { warn }: PrepareContext): void {
  if (schema === undefined || schema.ignored.length === 0) return
  warn(
    `the schema uses ${schema.ignored.join(', ')}, which transform does not apply`,
    'write what matters with type, properties, required, items and enum',
  )
}
