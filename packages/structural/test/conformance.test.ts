import { testConnector } from '@mqb/testkit'
import { describe, it } from 'vitest'
import plugin from '../src/index.ts'

testConnector(
  { describe, it },
  {
    plugin,
    endpoint: 'null',
    oneSided: 'output',
    provision: () => ({ output: null }),
  },
)

testConnector(
  { describe, it },
  {
    plugin,
    endpoint: 'static',
    oneSided: 'output',
    title: 'static, output: connector conformance',
    provision: () => ({ output: 'OK' }),
  },
)

// As an input `static` is never silent, which the suite needs: test/static.test.ts has its rules.

testConnector(
  { describe, it },
  {
    plugin,
    endpoint: 'response',
    oneSided: 'output',
    provision: () => ({ output: {} }),
  },
)
