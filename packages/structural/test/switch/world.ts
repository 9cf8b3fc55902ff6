import { type Capabilities, type EndpointPlan, noCapabilities, type Opening } from '@mqb/core'
import {
  createFakeClock,
  createTestOpening,
  type PublisherScript,
  publisherPlan,
  type ScriptedPublisher,
  scriptedPublisher,
} from '@mqb/testkit'
import type { SwitchConfig } from '../../src/switch/config.ts'
import { switchEndpoint } from '../../src/switch/switch.ts'

export const live: AbortSignal = new AbortController().signal

/** A destination of the test, with the plan that a configuration would hold. */
export interface Sink {
  readonly publisher: ScriptedPublisher
  readonly plan: EndpointPlan<'output'>
}

export function sink(script: PublisherScript = [], capabilities: Capabilities = noCapabilities): Sink {
  const publisher = scriptedPublisher(script)
  return { publisher, plan: publisherPlan(publisher, { capabilities }) }
}

/** An open switch, with what it wrote and counted. */
export async function openSwitch(config: SwitchConfig) {
  const clock = createFakeClock()
  const opening = createTestOpening({ clock, path: 'orders.output.switch' })
  const output = await switchEndpoint.openPublisher!(config, opening as Opening)
  return { output, opening, clock }
}
