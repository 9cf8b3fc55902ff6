import { testMiddleware } from '@mqb/testkit'
import { describe, it } from 'vitest'
import plugin from '../src/index.ts'

// With no pause to speak of; a message that goes on failing is handed on as one that can never be delivered.
testMiddleware(
  { describe, it },
  {
    plugin,
    middleware: 'retry',
    neutralConfig: { max_attempts: 2, initial_interval_ms: 0 },
    handlesFailures: true,
  },
)
