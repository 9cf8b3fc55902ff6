import type {
  Consumer,
  EndpointDefinition,
  MiddlewareDefinition,
  Opening,
  Plugin,
  Publisher,
  Side,
} from '@mqb/core'
import type { SlabWatch } from '../connector/compare.ts'
import { parseConfig } from '../connector/parse-config.ts'
import { createTestOpening } from '../fakes/test-opening.ts'
import type { MiddlewareSuiteOptions } from './options.ts'

export function definitionOf(options: MiddlewareSuiteOptions): MiddlewareDefinition {
  const definition = options.plugin.middlewares?.[options.middleware]
  if (definition === undefined) throw new TypeError(`the plugin has no middleware ${options.middleware}`)
  return definition
}

/** The sides to test. */
export function sidesOf(options: MiddlewareSuiteOptions): readonly Side[] {
  if (options.sides !== undefined) return options.sides
  const definition = definitionOf(options)
  return [
    ...(definition.wrapConsumer === undefined ? [] : (['input'] as const)),
    ...(definition.wrapPublisher === undefined ? [] : (['output'] as const)),
  ]
}

export function neutralConfigOf(options: MiddlewareSuiteOptions, side: Side): unknown {
  if (options.parsedConfig !== undefined) return options.parsedConfig(side)
  const { neutralConfig } = options
  const written =
    typeof neutralConfig === 'function' ? (neutralConfig as (side: Side) => unknown)(side) : neutralConfig
  return parseConfig(definitionOf(options).config, written ?? {}, options.middleware)
}

/** The opening of the middleware, with what the suite was told to set. */
function middlewareOpening(opening: Opening, options: MiddlewareSuiteOptions): Opening {
  const { route, path, side, drain, drainIdleMs, batchSize, concurrency, sourceMetadata, clock, signal } =
    opening
  return createTestOpening({
    ...{ route, path, side, drain, drainIdleMs, batchSize, concurrency, sourceMetadata, clock, signal },
    ...options.opening,
  })
}

/**
 * The reference endpoint with the middleware around one side of it: an endpoint that the connector suite can test.
 *
 * @param watch is shown every message that crosses either border of the middleware.
 */
export function wrapEndpoint(
  plugin: Plugin,
  side: Side,
  middlewareConfig: unknown,
  options: MiddlewareSuiteOptions,
  watch: SlabWatch,
): Plugin {
  const middleware = definitionOf(options)
  const leaf = plugin.endpoints!.reference!
  const wrapped: EndpointDefinition = {
    ...leaf,
    capabilities(config, asked) {
      const bare = leaf.capabilities(config, asked)
      if (asked !== side) return bare
      // The suite lets sends overlap, as far as the capabilities allow it.
      const context = { side, concurrency: Number.POSITIVE_INFINITY }
      const changed = middleware.changes?.(bare, middlewareConfig, context) ?? bare
      // Who leaves messages out leaves them without an answer; in the setting of the suite nothing is left out.
      const answersAll = bare.replies === 'yes' && changed.replies === 'depends'
      return answersAll ? { ...changed, replies: 'yes' } : changed
    },
    async openConsumer(config, opening) {
      const inner = await leaf.openConsumer!(config, opening)
      if (side !== 'input') return inner
      const watched = watchConsumer(inner, watch)
      return middleware.wrapConsumer!(watched, middlewareConfig, middlewareOpening(opening, options))
    },
    async openPublisher(config, opening) {
      const inner = await leaf.openPublisher!(config, opening)
      if (side !== 'output') return inner
      const outer = await middleware.wrapPublisher!(
        watchPublisher(inner, watch),
        middlewareConfig,
        middlewareOpening(opening, options),
      )
      return watchPublisher(outer, watch)
    },
  }
  return { ...plugin, endpoints: { reference: wrapped } }
}

function watchConsumer(inner: Consumer, watch: SlabWatch): Consumer {
  return {
    async receive(limit, signal) {
      const batch = await inner.receive(limit, signal)
      watch.watch(batch.messages)
      return batch
    },
    pin: () => inner.pin(),
    status: () => inner.status(),
    close: () => inner.close(),
  }
}

function watchPublisher(inner: Publisher, watch: SlabWatch): Publisher {
  return {
    send(messages, signal) {
      watch.watch(messages)
      return inner.send(messages, signal)
    },
    flush: () => inner.flush(),
    status: () => inner.status(),
    close: () => inner.close(),
  }
}
