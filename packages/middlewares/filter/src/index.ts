import { defineMiddleware, definePlugin } from '@mqb/core'
import { type FilterConfig, filterConfig, filterFieldsOf } from './config.ts'
import { FilterConsumer } from './input.ts'
import { filterPublisher } from './output.ts'
import { Selector } from './selector.ts'

export { type FilterConfig, filterConfig } from './config.ts'
export { errorCodes } from './errors.ts'

export default definePlugin({
  name: '@mqb/filter',
  middlewares: {
    filter: defineMiddleware<FilterConfig>({
      summary: 'Keeps the messages for which an expression is true.',
      config: filterConfig,
      examples: [
        { title: 'By a field of the payload', side: 'input', config: 'amount > 100' },
        {
          title: 'By payload and metadata',
          side: 'output',
          config: 'order.status == "open" and meta.retry_count < 3',
        },
        {
          title: 'From a source that mixes in what is no JSON',
          side: 'input',
          config: { expression: 'amount > 100', on_error: 'drop' },
        },
      ],
      changes: (capabilities, _config, { side }) => ({
        ...capabilities,
        keepsAll: false,
        // Who asked with a message that is left out gets no answer.
        replies: side === 'output' && capabilities.replies === 'yes' ? 'depends' : capabilities.replies,
      }),
      wrapConsumer: (inner, config, opening) =>
        new FilterConsumer(inner, new Selector(filterFieldsOf(config), opening), opening.clock),
      wrapPublisher: (inner, config, opening) =>
        filterPublisher(inner, new Selector(filterFieldsOf(config), opening)),
    }),
  },
})
