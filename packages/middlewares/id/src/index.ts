import { defineMiddleware, definePlugin } from '@mqb/core'
import { type IdConfig, idConfig } from './config.ts'
import { idConsumer } from './id.ts'

export { type IdConfig, idConfig } from './config.ts'
export { errorCodes } from './errors.ts'

export default definePlugin({
  name: '@mqb/id',
  middlewares: {
    id: defineMiddleware<IdConfig>({
      summary: 'Gives messages an identity that is the same at every read.',
      config: idConfig,
      examples: [
        { title: 'The number of an order', side: 'input', config: '${payload:order_id}' },
        {
          title: 'Unique within a tenant only',
          side: 'input',
          config: '${metadata:tenant}-${payload:order_id}',
        },
      ],
      wrapConsumer: idConsumer,
    }),
  },
})
