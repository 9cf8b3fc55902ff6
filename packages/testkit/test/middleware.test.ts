import { defineMiddleware, definePlugin } from '@mqb/core'
import { describe, it } from 'vitest'
import { testMiddleware } from '../src/index.ts'

testMiddleware(
  { describe, it },
  {
    plugin: definePlugin({
      name: 'nothing',
      middlewares: {
        nothing: defineMiddleware({
          summary: 'Does nothing.',
          config: { type: 'object' },
          examples: [],
          wrapConsumer: inner => ({ ...inner }),
          wrapPublisher: inner => ({ ...inner }),
        }),
      },
    }),
    middleware: 'nothing',
  },
)
