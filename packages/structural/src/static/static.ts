import { defineEndpoint, noCapabilities, type Publisher, reply } from '@mqb/core'
import { terminalPublisher } from '../terminal.ts'
import { staticConfig, staticFieldsOf } from './config.ts'
import { StaticConsumer } from './consumer.ts'
import { compileContent, type StaticContent } from './render.ts'

export const staticEndpoint = defineEndpoint({
  summary: 'A fixed message: the answer to every request, or a source that never ends.',
  config: staticConfig,
  examples: [
    { title: 'source', side: 'input', config: { body: '{"n":"${gen:counter}"}', raw: true } },
    { title: 'answer', side: 'output', config: 'OK' },
    {
      title: 'answer that echoes the request',
      side: 'output',
      config: {
        body: '{"error":"not found","id":"${message:id}","at":"${gen:now}"}',
        raw: true,
        metadata: { 'content-type': 'application/json' },
      },
    },
  ],
  structural: true,
  describe: () => 'static',
  capabilities: (_config, side) =>
    side === 'input'
      ? { ...noCapabilities, acks: true, stableId: true }
      : { ...noCapabilities, acks: true, replies: 'yes' },
  openConsumer: async (config, opening) =>
    new StaticConsumer(compileContent(staticFieldsOf(config), opening.clock), opening),
  openPublisher: async (config, opening) =>
    staticPublisher(compileContent(staticFieldsOf(config), opening.clock)),
})

/** Answers every message with the fixed one, under the id of the message that asked. */
function staticPublisher(content: StaticContent): Publisher {
  return terminalPublisher({
    target: 'static',
    answer: messages =>
      messages.map(message => reply(message.derive(content.payload(message)).withPairs(content.metadata))),
  })
}
