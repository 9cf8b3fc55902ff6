// A plugin of one middleware, to show what one looks like: orders whose amount is no number fail for good.
import {
  defineMiddleware,
  definePlugin,
  failure,
  MqbError,
  pickMessages,
  scatterOutcomes,
  wrapPublisher,
} from '@mqb/core'

const checkAmount = defineMiddleware({
  summary: 'Fails messages in which a field is not a number.',
  config: {
    type: 'object',
    properties: { field: { type: 'string', description: 'Name of the field.' } },
    required: ['field'],
    additionalProperties: false,
  },
  examples: [{ title: 'Only orders with an amount', side: 'output', config: { field: 'amount' } }],
  wrapPublisher(inner, { field }) {
    return wrapPublisher(inner, {
      async send(messages, signal) {
        const good = []
        const problems = new Map()
        messages.forEach((message, position) => {
          const problem = problemOf(message, field)
          if (problem === undefined) good.push(position)
          else problems.set(position, failure(problem))
        })
        if (problems.size === 0) return inner.send(messages, signal)
        const outcomes = good.length === 0 ? [] : await inner.send(pickMessages(messages, good), signal)
        return scatterOutcomes(messages.length, good, outcomes, position => problems.get(position))
      },
    })
  },
})

/** `permanent`: trying the same row again would change nothing. */
function problemOf(message, field) {
  const value = message.json()[field]
  if (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)) return undefined
  return new MqbError({
    kind: 'permanent',
    code: 'DEMO_NO_AMOUNT',
    what: `${field} is ${JSON.stringify(value)}, which is no number`,
    mend: 'correct the row and send it again',
  })
}

export default definePlugin({ name: 'mqb-demo', middlewares: { check_amount: checkAmount } })
