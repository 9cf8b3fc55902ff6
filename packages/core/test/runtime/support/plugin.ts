import { defineEndpoint, definePlugin, noCapabilities, type Plugin } from '@mqb/core'
import { secret } from '@mqb/core/config'
import * as z from 'zod'
import type { TestSink } from './sink.ts'
import type { TestSource } from './source.ts'

const config = z.strictObject({
  name: z.string().min(1).meta({ description: 'Which one.' }),
  password: secret().optional().meta({ description: 'Hidden.' }),
})

/** Endpoints `source` and `sink` that find what the test made by their name. */
export function testPlugin(
  sources: Readonly<Record<string, TestSource>>,
  sinks: Readonly<Record<string, TestSink>>,
  ordered = false,
): Plugin {
  return definePlugin({
    name: 'mqb-plugin-test',
    endpoints: {
      source: defineEndpoint<z.output<typeof config>>({
        summary: 'A source of the test.',
        config,
        examples: [{ title: 'One', side: 'input', config: { name: 'a' } }],
        describe: ({ name }) => `source ${name}`,
        capabilities: () => ({ ...noCapabilities, acks: true, commitOrder: ordered ? 'ordered' : 'any' }),
        openConsumer: async ({ name }) => sources[name]!.consumer(),
      }),
      sink: defineEndpoint<z.output<typeof config>>({
        summary: 'A sink of the test.',
        config,
        examples: [{ title: 'One', side: 'output', config: { name: 'a' } }],
        describe: ({ name }) => `sink ${name}`,
        capabilities: () => ({ ...noCapabilities, acks: true, replies: 'depends' }),
        openPublisher: async ({ name }) => sinks[name]!.publisher(),
      }),
    },
  })
}
