import { testMiddleware } from '@mqb/testkit'
import { describe, it } from 'vitest'
import plugin from '../src/index.ts'

// No message of the suite has this field, so that every one of them goes on as it is.
testMiddleware({ describe, it }, { plugin, middleware: 'id', neutralConfig: '${payload:no.such.field}' })
