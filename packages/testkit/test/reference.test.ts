import { describe, it } from 'vitest'
import { createReferenceConnector, type ReferenceConfig, testConnector } from '../src/index.ts'

const variants: readonly (readonly [string, Omit<ReferenceConfig, 'channel'>])[] = [
  ['queue', {}],
  ['log', { order: 'ordered', publish: 'serial', refuse: 'poison' }],
  ['requests', { replies: true }],
  ['bounded', { max_payload_bytes: 100, publish: 'no', idempotent: true }],
]

for (const [name, config] of variants) {
  const connector = createReferenceConnector()
  testConnector(
    { describe, it },
    {
      ...connector.suite(config),
      title: `the reference connector as ${name}`,
      limits: { quietMs: 20, drainIdleMs: 20 },
    },
  )
}
