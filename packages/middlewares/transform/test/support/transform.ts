import { Message } from '@mqb/core'
import { createTestOpening } from '@mqb/testkit'
import { transformConfig } from '../../src/config.ts'
import { planTransform } from '../../src/plan.ts'
import { Transformer } from '../../src/transformer.ts'

export const opening = createTestOpening({ path: 'orders.output.middlewares[0].transform' })

export function transformerOf(written: unknown): Transformer {
  const config = transformConfig.parse(written)
  return new Transformer(config, planTransform(config, opening.path), opening.counters)
}

/** What becomes of one payload: the text of it, or the text of the failure. */
export function transformed(
  written: unknown,
  payload: string | Uint8Array,
  metadata?: Record<string, string>,
): string {
  const { messages, failures } = transformerOf(written).run([new Message(payload, metadata)])
  return failures?.get(0)?.message ?? messages[0]!.text()
}

/** What a JSON schema makes of one payload. */
export const typed = (schema: unknown, payload: string | Uint8Array, options: object = {}): string =>
  transformed({ schema, ...options }, payload)
