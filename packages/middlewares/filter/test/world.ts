import type { ReceiveLimit } from '@mqb/core'
import {
  createFakeClock,
  createTestOpening,
  type Delivery,
  type ScriptedConsumerOptions,
  scriptedConsumer,
} from '@mqb/testkit'
import { filterFieldsOf } from '../src/config.ts'
import plugin, { type FilterConfig } from '../src/index.ts'

export const live: AbortSignal = new AbortController().signal
export const limit = (messages: number, bytes = 1 << 20): ReceiveLimit => ({ messages, bytes })
export const definition = plugin.middlewares!.filter!

/** A filter around an input that does what the script says. Time stands still. */
export async function filteredInput(
  config: FilterConfig,
  script: readonly Delivery[],
  options: Omit<ScriptedConsumerOptions, 'clock'> = {},
) {
  const clock = createFakeClock()
  const opening = createTestOpening({ clock, side: 'input', path: 'orders.input.middlewares[0].filter' })
  const inner = scriptedConsumer(script, { ...options, clock })
  const consumer = await definition.wrapConsumer!(inner, filterFieldsOf(config), opening)
  return { clock, opening, inner, consumer }
}

/** JSON objects with one number: even ones are kept by `n % 2 == 0`. */
export const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `{"n":${from + index}}`)

export const evenOnes = 'n % 2 == 0'
