import { testMiddleware } from '@mqb/testkit'
import { describe, it } from 'vitest'
import plugin from '../src/index.ts'

// Larger than any batch of the suite and without a wait: nothing is cut, nothing is held back.
testMiddleware(
  { describe, it },
  { plugin, middleware: 'buffer', neutralConfig: { max_messages: 100_000, max_delay_ms: 0 } },
)
testMiddleware(
  { describe, it },
  {
    plugin,
    middleware: 'buffer',
    title: 'buffer with a short delay: middleware conformance',
    neutralConfig: { max_messages: 100_000, max_delay_ms: 1 },
  },
)
