import type { Consumer } from '../contract/consumer.ts'
import type { Publisher } from '../contract/publisher.ts'

/** A consumer that is `inner` but for the members given. `inner` is never changed. */
export function wrapConsumer(inner: Consumer, overrides: Partial<Consumer>): Consumer {
  return {
    receive: overrides.receive ?? ((limit, signal) => inner.receive(limit, signal)),
    pin: overrides.pin ?? (() => inner.pin()),
    status: overrides.status ?? (() => inner.status()),
    close: overrides.close ?? (() => inner.close()),
  }
}

/**
 * A publisher that is `inner` but for the members given. `inner` is never changed. Without `sendPacked`: whatever is
 * wrapped around a publisher gets to see messages.
 */
export function wrapPublisher(inner: Publisher, overrides: Partial<Publisher>): Publisher {
  return {
    send: overrides.send ?? ((messages, signal) => inner.send(messages, signal)),
    flush: overrides.flush ?? (() => inner.flush()),
    status: overrides.status ?? (() => inner.status()),
    close: overrides.close ?? (() => inner.close()),
  }
}
