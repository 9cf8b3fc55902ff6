import type { ConfigSchema } from '@mqb/core'

interface Parser {
  safeParse(value: unknown): { success: boolean; data?: unknown; error?: Error }
}

/** What a factory gets for a configuration as written: checked, with defaults. Plain JSON Schema is not applied. */
export function parseConfig(schema: ConfigSchema<unknown>, written: unknown, what: string): unknown {
  if (!isParser(schema)) return written
  const result = schema.safeParse(written)
  if (!result.success)
    throw new TypeError(`the schema refuses the configuration of ${what}: ${result.error?.message}`)
  return result.data
}

function isParser(schema: unknown): schema is Parser {
  return typeof schema === 'object' && schema !== null && 'safeParse' in schema
}
