import { testMiddleware } from '@mqb/testkit'
import { describe, it } from 'vitest'
import plugin from '../src/index.ts'

testMiddleware({ describe, it }, { plugin, middleware: 'random_panic', neutralConfig: { enabled: false } })
testMiddleware(
  { describe, it },
  {
    plugin,
    middleware: 'random_panic',
    title: 'random_panic before its trigger: middleware conformance',
    neutralConfig: { trigger_on_message: 1_000_000_000 },
  },
)
