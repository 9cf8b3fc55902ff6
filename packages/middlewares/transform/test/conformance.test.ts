import { testMiddleware } from '@mqb/testkit'
import { describe, it } from 'vitest'
import plugin from '../src/index.ts'

// Without a stage nothing is looked at.
testMiddleware({ describe, it }, { plugin, middleware: 'transform' })
// With one, whatever cannot be transformed goes on as it is, so that payloads of all kinds come through.
testMiddleware(
  { describe, it },
  {
    plugin,
    middleware: 'transform',
    title: 'transform with a schema that visits nothing: middleware conformance',
    neutralConfig: { schema: { properties: {} }, on_error: 'pass_through' },
  },
)
