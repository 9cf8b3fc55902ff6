import type { EndpointDefinition, EndpointExample, MiddlewareDefinition } from '@mqb/core'
import * as z from 'zod'

/** The configuration of an example as the component gets it. An example that does not parse is a mistake in the source. */
export function parseExample(
  name: string,
  definition: EndpointDefinition | MiddlewareDefinition,
  example: EndpointExample,
): unknown {
  if (!(definition.config instanceof z.ZodType)) return example.config
  const parsed = definition.config.safeParse(example.config)
  if (parsed.success) return parsed.data
  throw new Error(
    `the example "${example.title}" of ${name} does not fit its schema:\n${z.prettifyError(parsed.error)}`,
  )
}
