import { testMiddleware } from '@mqb/testkit'
import { describe, it } from 'vitest'
import plugin from '../src/index.ts'

testMiddleware({ describe, it }, { plugin, middleware: 'timeout', neutralConfig: { timeout_ms: 3_600_000 } })
