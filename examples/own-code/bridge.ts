// An input and a middleware of your own. Both are plain data with a schema: the schema checks the configuration, and
// gives its types, defaults and documentation.
import {
  ALL_ACKED,
  type Batch,
  defineEndpoint,
  defineMiddleware,
  definePlugin,
  EndOfStream,
  Message,
  noCapabilities,
  type Outcomes,
  settles,
  wrapPublisher,
} from '@mqb/core'
import { createBridge } from '@mqb/core/runtime'
import file from '@mqb/file'
import * as z from 'zod'

const countdown = defineEndpoint({
  summary: 'Counts down to one, then ends.',
  config: z.strictObject({
    from: z
      .int()
      .positive()
      .meta({ description: 'The first number.', examples: [10] }),
  }),
  examples: [{ title: 'From ten', side: 'input', config: { from: 10 } }],
  describe: ({ from }) => `countdown from ${from}`,
  capabilities: () => ({ ...noCapabilities, acks: true, commitOrder: 'ordered' }),
  async openConsumer({ from }) {
    // Where the source stands: moved by a commit, and only past messages that are settled.
    let acknowledged = from
    let handedOut = from
    return {
      async receive({ messages }) {
        if (handedOut === 0) throw new EndOfStream()
        const first = handedOut
        handedOut -= Math.min(messages, handedOut)
        const batch: Message[] = []
        for (let number = first; number > handedOut; number--) batch.push(Message.fromJson({ number }))
        return { messages: batch, commit: async outcomes => commit(batch, outcomes) } satisfies Batch
      },
      pin: async () => {},
      status: () => ({ healthy: true, target: 'countdown', pending: acknowledged }),
      close: async () => {},
    }

    function commit(batch: readonly Message[], outcomes: Outcomes): void {
      const settled = outcomes === ALL_ACKED ? batch.length : outcomes.findIndex(outcome => !settles(outcome))
      acknowledged -= settled === -1 ? batch.length : settled
      // What is not settled is handed out again.
      if (settled !== -1 && settled < batch.length) handedOut = acknowledged
    }
  },
})

const label = defineMiddleware({
  summary: 'Adds a field to JSON payloads.',
  config: z.strictObject({
    name: z.string().default('label').meta({ description: 'Name of the field.' }),
    value: z.string().meta({ description: 'Its value.', examples: ['test'] }),
  }),
  examples: [{ title: 'A label', side: 'output', config: { value: 'test' } }],
  wrapPublisher: (inner, { name, value }) =>
    wrapPublisher(inner, {
      send: (messages, signal) =>
        inner.send(
          messages.map(message =>
            message.derive(JSON.stringify({ ...(message.json() as object), [name]: value })),
          ),
          signal,
        ),
    }),
})

const own = definePlugin({ name: 'own-code', endpoints: { countdown }, middlewares: { label } })

const bridge = createBridge({ plugins: [file, own] })
const route = bridge.route('launch', {
  exit_on_empty: true,
  input: { countdown: { from: 3 } },
  output: { file: { path: 'launch.jsonl', format: 'raw' }, middlewares: [{ label: { value: 'T minus' } }] },
})
await route.start()
await route.join()
