import { testMiddleware } from '@mqb/testkit'
import { describe, it } from 'vitest'
import plugin from '../src/index.ts'

testMiddleware({ describe, it }, { plugin, middleware: 'filter', neutralConfig: 'true' })
