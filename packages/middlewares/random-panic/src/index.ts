import { defineMiddleware, definePlugin, type Opening } from '@mqb/core'
import { type RandomPanicConfig, randomPanicConfig } from './config.ts'
import { faultyConsumer } from './input.ts'
import { faultyPublisher } from './output.ts'

export { type RandomPanicConfig, randomPanicConfig } from './config.ts'
export { errorCodes } from './errors.ts'

export default definePlugin({
  name: '@mqb/random-panic',
  middlewares: {
    random_panic: defineMiddleware<RandomPanicConfig>({
      summary: 'Injects faults into a test route.',
      config: randomPanicConfig,
      examples: [
        {
          title: 'One lost connection, at the 500th message',
          side: 'input',
          config: { mode: 'disconnect', trigger_on_message: 500 },
        },
        {
          title: 'One message that can not be delivered, to see the dead-letter endpoint at work',
          side: 'output',
          config: { mode: 'json_format_error', trigger_on_message: 10 },
        },
      ],
      wrapConsumer: (inner, config, opening) =>
        isActive(config, opening) ? faultyConsumer(inner, config, opening) : inner,
      wrapPublisher: (inner, config, opening) =>
        isActive(config, opening) ? faultyPublisher(inner, config, opening) : inner,
    }),
  },
})

function isActive(config: RandomPanicConfig, { faultInjection, log }: Opening): boolean {
  if (!config.enabled) return false
  if (!faultInjection)
    log.warn('random_panic does nothing: the route does not set allow_fault_injection: true')
  return faultInjection
}
