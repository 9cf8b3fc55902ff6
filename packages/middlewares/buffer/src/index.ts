import { defineMiddleware, definePlugin, type PrepareContext } from '@mqb/core'
import { type BufferConfig, bufferConfig } from './config.ts'
import { bufferConsumer } from './input.ts'
import { OutputBuffer } from './output.ts'

export { type BufferConfig, bufferConfig } from './config.ts'

export default definePlugin({
  name: '@mqb/buffer',
  middlewares: {
    buffer: defineMiddleware<BufferConfig>({
      summary: 'Collects small batches into larger ones.',
      config: bufferConfig,
      examples: [
        {
          title: 'Up to 500 messages, none waits longer than 20 ms',
          side: 'output',
          config: { max_messages: 500, max_delay_ms: 20 },
        },
        {
          title: 'Batches that grow with the load, without any wait',
          side: 'output',
          config: { max_messages: 500, max_delay_ms: 0 },
        },
        {
          title: 'Fuller batches from a source that hands out few messages at a time',
          side: 'input',
          config: { max_messages: 500, max_delay_ms: 20 },
        },
      ],
      changes: (capabilities, _config, { side, concurrency }) =>
        side === 'output' && capabilities.orderedPublish !== 'no'
          ? { ...capabilities, orderedPublish: orderAt(concurrency) }
          : capabilities,
      prepare: warnings,
      wrapConsumer: (inner, config, { clock }) => bufferConsumer(inner, config, clock),
      wrapPublisher: (inner, config, { clock }) => new OutputBuffer(inner, config, clock),
    }),
  },
})

/** Calls that overlap are grouped as they arrive, and one that failed comes again behind them. A single one is in order. */
const orderAt = (concurrency: number) => (concurrency === 1 ? 'serial' : 'no')

function warnings(config: BufferConfig, context: PrepareContext): void {
  const { side, path, batchSize, concurrency, warn } = context
  if (side === 'input') {
    if (config.max_messages > batchSize)
      warn(
        `the route takes at most ${batchSize} messages at a time, so max_messages ${config.max_messages} is never reached`,
        `set batch_size of the route to ${config.max_messages}`,
      )
    return
  }
  // Below `request` or `lookup` the messages of one batch come in calls of their own, whatever the concurrency is.
  const nested = /\.output\..*\.middlewares\[/.test(path)
  if (!nested && concurrency === 1 && config.max_delay_ms > 0 && config.max_messages > batchSize)
    warn(
      `with concurrency 1 no second batch can join a short one: each waits ${config.max_delay_ms} ms for nothing`,
      `raise concurrency, or set max_messages to at most ${batchSize} (the batch_size) or max_delay_ms to 0`,
    )
  if (concurrency > 1)
    warn(
      `with concurrency ${concurrency} batches can reach the output in another order than they came from the source`,
      'set concurrency to 1 where the order at the output matters',
    )
}
