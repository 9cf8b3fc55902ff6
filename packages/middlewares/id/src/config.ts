import type { Template } from '@mqb/core'
import { template } from '@mqb/core/config'
import type * as z from 'zod'

export const idConfig: z.ZodType<Template, string> = template()
  .check(context => {
    if (context.value.isConstant)
      context.issues.push({
        code: 'custom',
        path: [],
        message: 'the template has no ${…} token, so that every message would get the same identity',
        params: { mend: 'name what tells messages apart, for example: "${payload:order_id}"' },
        input: context.value,
      })
  })
  .meta({
    description: 'Template of the identity, from what the message itself holds.',
    examples: ['${payload:tenant}-${payload:order_id}'],
  })

export type IdConfig = Template
