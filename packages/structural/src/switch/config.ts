import { endpoint } from '@mqb/core/config'
import { expression } from '@mqb/core/expression'
import * as z from 'zod'

const switchCase = z.strictObject({
  if: expression({ purpose: 'predicate' }).meta({
    expression: true,
    description: 'The case is taken when it is true and no case before it was.',
    examples: ['amount > 100', 'meta.kind == "order"'],
  }),
  to: endpoint('output').meta({
    description: 'Where messages of this case go: an endpoint, with middlewares of its own if need be.',
    examples: [{ file: { path: 'large.jsonl' } }],
  }),
})

const byValueExample = 'metadata_key: kind, cases: { order: { file: { path: "orders.jsonl" } } }'

export const switchConfig = z
  .strictObject({
    metadata_key: z
      .string()
      .min(1)
      .optional()
      .meta({
        description: 'Decides by the value of this metadata key, compared exactly. Needs cases.',
        examples: ['http_status_code'],
      }),
    cases: z
      .record(z.string(), endpoint('output'))
      .optional()
      .meta({
        description: 'The endpoint for each value of metadata_key.',
        examples: [{ '200': { file: { path: 'ok.jsonl' } } }],
      }),
    when: z
      .array(switchCase)
      .optional()
      .meta({
        description: 'Decides by expressions instead: the first case that is true is taken.',
        examples: [[{ if: 'amount > 100', to: { file: { path: 'large.jsonl' } } }]],
      }),
    default: endpoint('output')
      .optional()
      .meta({
        description:
          'Where messages go that no case takes. Without it they are dropped, with a warning, and counted as unmatched.',
        examples: [{ file: { path: 'other.jsonl' } }],
      }),
  })
  .check(context => {
    const fault = faultOf(context.value)
    if (fault !== undefined)
      context.issues.push({
        code: 'custom',
        path: [],
        message: fault.what,
        params: { mend: fault.mend },
        input: context.value,
      })
  })

export type SwitchConfig = z.output<typeof switchConfig>

declare module '@mqb/core' {
  interface EndpointConfigs {
    readonly switch: z.input<typeof switchConfig>
  }
}

/** A switch uses exactly one of its modes, and has a case. */
function faultOf({ metadata_key, cases, when }: SwitchConfig): { what: string; mend: string } | undefined {
  const byValue = metadata_key !== undefined || cases !== undefined
  if (byValue && when !== undefined)
    return {
      what: 'metadata_key with cases, and when exclude each other',
      mend: 'decide by a metadata value, or by expressions: keep one of them',
    }
  if (!byValue && when === undefined)
    return { what: 'a switch needs something to decide by', mend: `add ${byValueExample}, or when: [ … ]` }
  if (when !== undefined)
    return when.length > 0
      ? undefined
      : { what: 'when has no case', mend: 'add one: - { if: "amount > 100", to: { … } }' }
  if (metadata_key === undefined)
    return { what: 'cases need a metadata_key', mend: 'name the key whose value decides: metadata_key: kind' }
  return cases !== undefined && Object.keys(cases).length > 0
    ? undefined
    : { what: 'metadata_key needs cases', mend: `add an endpoint for each value: ${byValueExample}` }
}
