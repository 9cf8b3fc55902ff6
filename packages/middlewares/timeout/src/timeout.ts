import { describeThrown, type Opening, type Outcomes, type Publisher, wrapPublisher } from '@mqb/core'
import type { TimeoutConfig } from './config.ts'
import { sendTimeoutError } from './errors.ts'

/**
 * At the limit the inner send is told to stop and the call fails as `retryable` for all of its messages. What the
 * inner send answers after that comes too late: the messages are already on their way back.
 */
export function timeoutPublisher(inner: Publisher, config: TimeoutConfig, opening: Opening): Publisher {
  const { clock, log, path } = opening
  return wrapPublisher(inner, {
    send: (messages, signal) =>
      new Promise<Outcomes>((resolve, reject) => {
        const stop = new AbortController()
        let late = false
        const onAbort = (): void => stop.abort(signal.reason)
        if (signal.aborted) onAbort()
        else signal.addEventListener('abort', onAbort, { once: true })
        const cancel = clock.timer(config.timeout_ms, () => {
          late = true
          signal.removeEventListener('abort', onAbort)
          const error = sendTimeoutError({
            count: messages.length,
            timeoutMs: config.timeout_ms,
            target: inner.status().target,
            path,
          })
          opening.counters.add('timeouts')
          reject(error)
          stop.abort(error)
        })
        const end = (): void => {
          cancel()
          signal.removeEventListener('abort', onAbort)
        }
        const sending = new Promise<Outcomes>(started => started(inner.send(messages, stop.signal)))
        sending.then(
          outcomes => {
            if (late) {
              log.debug('an answer came after the timeout and is ignored', { messages: messages.length })
              return
            }
            end()
            resolve(outcomes)
          },
          (reason: unknown) => {
            if (late) {
              if (reason !== stop.signal.reason)
                log.debug(`a send failed after the timeout: ${describeThrown(reason)}`, {
                  messages: messages.length,
                })
              return
            }
            end()
            reject(reason)
          },
        )
      }),
  })
}
