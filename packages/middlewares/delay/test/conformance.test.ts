import { testMiddleware } from '@mqb/testkit'
import { describe, it } from 'vitest'
import plugin from '../src/index.ts'

testMiddleware({ describe, it }, { plugin, middleware: 'delay', neutralConfig: { delay_ms: 0 } })
testMiddleware(
  { describe, it },
  {
    plugin,
    middleware: 'delay',
    title: 'delay of a millisecond: middleware conformance',
    neutralConfig: { delay_ms: 1 },
  },
)
