import * as z from 'zod'
import type { Capabilities, Side } from '../../contract/capabilities.ts'
import type { Opening } from '../../contract/opening.ts'
import type { ConfigSchema, EndpointDefinition } from '../../contract/plugin.ts'
import { noCapabilities } from '../../define.ts'
import { toMqbError } from '../../errors/normalize.ts'
import { closeQuietly } from './close.ts'
import { simpleError } from './codes.ts'
import { SimpleConsumer } from './consumer.ts'
import { SimplePublisher } from './publisher.ts'
import type {
  SimpleCapabilities,
  SimpleEndpoint,
  SimpleEndpointFactory,
  SimpleEndpointOptions,
} from './types.ts'

/**
 * An endpoint type out of a factory of objects with `receiveBatch`, `commit`, `sendBatch` and the like. It can be used
 * as an input and as an output; an object without the method for its side ends the route with a permanent error.
 */
export function simpleEndpoint<C = unknown>(
  name: string,
  factory: SimpleEndpointFactory<C>,
  options: SimpleEndpointOptions<C> = {},
): EndpointDefinition<C> {
  if (typeof factory !== 'function') throw new TypeError(`the factory of ${name} must be a function`)
  const target = `custom ${name}`
  const open = async (config: C, opening: Opening, method: 'receiveBatch' | 'sendBatch') => {
    let endpoint: SimpleEndpoint
    try {
      endpoint = await factory(opening.route, config)
    } catch (thrown) {
      throw toMqbError(thrown, 'connection')
    }
    if (typeof endpoint?.[method] === 'function') return endpoint
    if (typeof endpoint === 'object' && endpoint !== null) await closeQuietly(endpoint, opening)
    throw simpleError(
      'MQB_CUSTOM_WRONG_SIDE',
      'permanent',
      `the endpoint ${name} has no ${method}: it is no ${opening.side}`,
    )
  }
  return {
    summary: options.summary ?? `Endpoint ${name}, registered in code.`,
    config: options.configSchema ?? (z.unknown() as ConfigSchema<C>),
    examples: [],
    describe: () => target,
    capabilities: (_config, side) => toCapabilities(options.capabilities ?? {}, side),
    openConsumer: async (config, opening) =>
      new SimpleConsumer({
        target,
        endpoint: await open(config, opening, 'receiveBatch'),
        replies: options.capabilities?.replies ?? false,
        opening,
      }),
    openPublisher: async (config, opening) =>
      new SimplePublisher({ target, endpoint: await open(config, opening, 'sendBatch'), opening }),
  }
}

function toCapabilities({ acks, ordered = false, replies }: SimpleCapabilities, side: Side): Capabilities {
  if (side === 'input') {
    return {
      ...noCapabilities,
      acks: acks ?? false,
      commitOrder: ordered ? 'ordered' : 'any',
      replies: replies === true ? 'yes' : 'no',
    }
  }
  return {
    ...noCapabilities,
    acks: acks ?? true,
    orderedPublish: ordered ? 'serial' : 'no',
    replies: replies === undefined ? 'depends' : replies ? 'yes' : 'no',
  }
}
