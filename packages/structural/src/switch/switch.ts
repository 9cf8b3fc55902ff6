import { defineEndpoint, type Opening } from '@mqb/core'
import { branchesOf } from './branches.ts'
import { switchCapabilities } from './capabilities.ts'
import { compileChoice } from './choose.ts'
import { type SwitchConfig, switchConfig } from './config.ts'
import { type Destination, SwitchPublisher } from './publisher.ts'
import { createUnmatchedReport } from './unmatched.ts'

export const switchEndpoint = defineEndpoint<SwitchConfig>({
  summary: 'Sends each message to one of several endpoints, by a metadata value or by expressions.',
  config: switchConfig,
  examples: [
    {
      title: 'by a metadata value',
      side: 'output',
      config: {
        metadata_key: 'http_status_code',
        cases: { '200': { file: { path: 'ok.jsonl' } }, '404': { file: { path: 'not-found.jsonl' } } },
        default: { file: { path: 'other.jsonl' } },
      },
    },
    {
      title: 'by expressions',
      side: 'output',
      config: {
        when: [
          { if: 'amount > 100', to: { file: { path: 'large.jsonl' } } },
          { if: 'amount > 10', to: { file: { path: 'medium.jsonl' } } },
        ],
      },
    },
  ],
  structural: true,
  describe: ({ metadata_key: key }) => (key === undefined ? 'switch' : `switch by ${key}`),
  capabilities: switchCapabilities,
  openPublisher: openSwitch,
})

async function openSwitch(config: SwitchConfig, opening: Opening): Promise<SwitchPublisher> {
  const choose = compileChoice(config, opening)
  const destinations: Destination[] = []
  try {
    for (const { name, plan } of branchesOf(config))
      destinations.push({ name, publisher: await plan.open(opening.child(name)) })
  } catch (error) {
    await Promise.all(destinations.map(({ publisher }) => publisher.close()))
    throw error
  }
  return new SwitchPublisher(
    choose,
    destinations,
    createUnmatchedReport(opening.log, opening.clock, opening.counters),
  )
}
