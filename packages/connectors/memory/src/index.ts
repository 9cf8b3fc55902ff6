import { defineEndpoint, definePlugin } from '@mqb/core'
import { capabilities } from './capabilities.ts'
import { memoryConfig } from './config.ts'
import { describe, openConsumer, openPublisher, prepare } from './open.ts'

export type { MemoryConfig, Retention } from './config.ts'
export { errorCodes, type MemoryErrorCode } from './errors.ts'
export {
  type ChannelHandle,
  channel,
  type EventStoreHandle,
  eventStore,
  type MessageLike,
} from './helpers.ts'
export type { DropListener } from './store/log.ts'

const memory = defineEndpoint({
  summary: 'Topics in the memory of the process, and sockets between processes of one host.',
  config: memoryConfig,
  examples: [
    { title: 'queue', side: 'input', config: { topic: 'orders' } },
    { title: 'queue that redelivers', side: 'input', config: { topic: 'orders', enable_nack: true } },
    { title: 'event store', side: 'input', config: { topic: 'changes', subscribe_mode: true } },
    { title: 'socket', side: 'input', config: { topic: 'ipc://orders' } },
    { title: 'queue', side: 'output', config: { topic: 'orders', capacity: 20 } },
    {
      title: 'request and reply',
      side: 'output',
      config: { topic: 'prices', request_reply: true, request_timeout_ms: 2000 },
    },
    { title: 'event store', side: 'output', config: { topic: 'changes', subscribe_mode: true } },
    { title: 'socket', side: 'output', config: { topic: 'ipc://orders' } },
  ],
  describe,
  capabilities,
  prepare,
  openConsumer,
  openPublisher,
})

export default definePlugin({
  name: '@mqb/memory',
  endpoints: { memory },
  schemes: {
    memory: { endpoint: 'memory', strictParameters: true },
    ipc: { endpoint: 'memory', strictParameters: true },
    unix: { endpoint: 'memory', strictParameters: true },
    pipe: { endpoint: 'memory', strictParameters: true },
  },
})
