import { definePlugin } from '@mqb/core'
import { createReferenceConnector, publisherPlan, testConnector } from '@mqb/testkit'
import { describe, it } from 'vitest'
import type { SwitchConfig } from '../../src/switch/config.ts'
import { switchEndpoint } from '../../src/switch/switch.ts'

/** A switch that has its plans already: the suite parses configurations without a planner. */
const plugin = definePlugin({
  name: 'mqb-switch-with-plans',
  endpoints: { switch: { ...switchEndpoint, config: { type: 'object' } } as never },
})

// Messages of the suite take either way into the same channel.
const modes: Readonly<Record<string, (to: SwitchConfig['default']) => SwitchConfig>> = {
  'by expressions': to => ({ when: [{ if: 'meta.kind == "a"', to: to! }], default: to }),
  'by a metadata value': to => ({ metadata_key: 'kind', cases: { a: to! }, default: to }),
}

for (const [mode, configure] of Object.entries(modes)) {
  const reference = createReferenceConnector()
  const endpoint = reference.plugin.endpoints!.reference!
  const ends = () => {
    const { output, feed: _, ...rest } = reference.provision()
    const plan = publisherPlan(opening => endpoint.openPublisher!(output, opening), {
      capabilities: endpoint.capabilities(output, 'output'),
    })
    return { ...rest, output: configure(plan) }
  }
  testConnector(
    { describe, it },
    {
      plugin,
      endpoint: 'switch',
      oneSided: 'output',
      title: `switch ${mode}: connector conformance`,
      sample: { output: ends().output },
      hooks: ['readBack'],
      provision() {
        const { readBack, output } = ends()
        return { output, readBack }
      },
      limits: { quietMs: 15, drainIdleMs: 15 },
    },
  )
}
