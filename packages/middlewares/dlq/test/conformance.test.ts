import { noCapabilities } from '@mqb/core'
import { publisherPlan, scriptedPublisher, testMiddleware } from '@mqb/testkit'
import { describe, it } from 'vitest'
import plugin from '../src/index.ts'

// A dead-letter endpoint that takes nothing leaves every failure a failure, though not of the same kind.
testMiddleware(
  { describe, it },
  {
    plugin,
    middleware: 'dlq',
    parsedConfig: () => ({
      endpoint: publisherPlan(() => scriptedPublisher(() => 'retryable'), {
        capabilities: { ...noCapabilities, acks: true },
      }),
    }),
    handlesFailures: true,
  },
)
